import { useCallback } from 'react'
import { useApp, useAppState } from '../../store/app-context.ts'

/**
 * What a person is writing for an endpoint.
 * @param kind tells drafts of different forms apart
 * @param initial what everybody begins with; the same between two drawings
 */
export function useDraft<Draft extends object>(
  kind: string,
  endpointId: string,
  initial: Draft,
): [draft: Draft, change: (change: Partial<Draft>) => void] {
  const { store } = useApp()
  const name = `${kind} ${endpointId}`
  const draft = useAppState((state) => (state.drafts[name] ?? initial) as Draft)
  const change = useCallback(
    (changed: Partial<Draft>) => {
      const { drafts, setDraft } = store.getState()
      setDraft(name, { ...initial, ...(drafts[name] as Draft | undefined), ...changed })
    },
    [store, name, initial],
  )
  return [draft, change]
}
