import { useMemo } from 'react'
import { useApp } from '../../../store/app-context.ts'
import { useTab } from '../store/editor-context.ts'
import { createRunActions, type RunActions } from './run-actions.ts'

/** What a person does with runs of the open document, for buttons, keys and the palette. */
export function useRunActions(): RunActions {
  const { client, platform, store } = useApp()
  const tab = useTab()
  return useMemo(() => createRunActions({ client, platform, app: store, tab }), [client, platform, store, tab])
}
