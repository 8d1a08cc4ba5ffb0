import { useMemo } from 'react'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { Draft } from './settings-draft.ts'
import type { DraftState } from './use-settings.ts'

const NOTHING: Draft = {}

/** What somebody has changed in the settings of an endpoint and not saved; it outlives a look at another page. */
export function useSettingsDraft(endpointId: string): DraftState {
  const { store } = useApp()
  const name = `settings ${endpointId}`
  const draft = useAppState(({ drafts }) => (drafts[name] ?? NOTHING) as Draft)
  return useMemo(() => {
    const setDraft: DraftState['setDraft'] = (change) => {
      const state = store.getState()
      state.setDraft(name, change((state.drafts[name] ?? NOTHING) as Draft))
    }
    return { draft, setDraft }
  }, [store, name, draft])
}
