import { useEffect, useMemo } from 'react'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import { toPayload } from '../../../../src-main/domain/workflow/to-payload/to-payload.ts'
import { useApp } from '../../../store/app-context.ts'
import { useTab } from '../store/editor-context.ts'
import { followAutoRun } from './auto-run.ts'
import { createRunActions, type RunActions } from './run-actions.ts'

/** What a person does with runs of the open document, for buttons, keys and the palette. */
export function useRunActions(): RunActions {
  const { client, platform, store } = useApp()
  const tab = useTab()
  return useMemo(() => createRunActions({ client, platform, app: store, tab }), [client, platform, store, tab])
}

/** Lets the open document run by itself while it is shown, as was chosen. */
export function useAutoRun({ run }: Pick<RunActions, 'run'>): void {
  const { platform, store } = useApp()
  const { editor, runs } = useTab()
  useEffect(() => {
    const end = followAutoRun({
      runs,
      editor,
      // At one time, as dates in the names of files are no change.
      textOf: (document) => writeJson(toPayload(document, editor.getState().types, 0).payload),
      run: () => run(),
      platform,
      tell: (text) => store.getState().tell({ kind: 'error', text }),
    })
    return () => {
      end()
      runs.getState().set({ auto: 'off' })
    }
  }, [runs, editor, platform, store, run])
}
