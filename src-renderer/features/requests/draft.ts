/** What all forms for requests share: drafts that outlive a look at another page, and the key that sends. */
import { useCallback, useEffect } from 'react'
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

/**
 * Calls `send` on Ctrl or Cmd Enter, wherever the focus is; in a panel above the page and on a link they mean something
 * else.
 */
export function useSendKey(send: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], a') !== null) return
      // Before the editor, which would make an empty line of it.
      event.preventDefault()
      event.stopPropagation()
      send()
    }
    document.addEventListener('keydown', onKey, { capture: true })
    return () => document.removeEventListener('keydown', onKey, { capture: true })
  }, [send])
}
