import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ServiceSettings } from '../../../src-main/contract/management.ts'
import { settingsQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { SETTING_TEXTS } from './setting-texts.ts'

/** Saves one setting. @returns why it was refused; undefined: it is saved */
export type SaveSetting = <Name extends keyof ServiceSettings>(
  name: Name,
  value: ServiceSettings[Name],
) => Promise<string | undefined>

/** Saving of settings: shown at once, taken back where the service refuses, and with a way back for ten seconds. */
export function useSaveSetting(): SaveSetting {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return useCallback(
    async (name, value) => {
      const { queryKey } = settingsQuery(client)
      const before = queries.getQueryData(queryKey)
      const show = (settings: ServiceSettings | undefined) => queries.setQueryData(queryKey, settings)
      const send = async (next: unknown) => show(await client.call('settingsUpdate', { body: { [name]: next } }))
      const { tell } = store.getState()
      const refused = (error: unknown) => tell({ kind: 'error', text: (error as Error).message })
      if (before !== undefined) show({ ...before, [name]: value })
      try {
        await send(value)
      } catch (error) {
        show(before)
        return (error as Error).message
      }
      const undo = () => void send(before?.[name]).catch(refused)
      const text = `${SETTING_TEXTS[name].done} saved.`
      tell({ kind: 'done', text, ...(before === undefined ? {} : { undo }) })
      return undefined
    },
    [client, store, queries],
  )
}
