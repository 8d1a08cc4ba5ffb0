import { useCallback, useEffect } from 'react'
import { useApp, useAppState } from '../../store/app-context.ts'

/**
 * @param kind separates drafts of different forms
 * @param initial start value; must be stable between renders
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

/** Ctrl or Cmd Enter anywhere except overlays and links. */
export function useSendKey(send: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], a') !== null) return
      // Runs before the editor, which would insert an empty line.
      event.preventDefault()
      event.stopPropagation()
      send()
    }
    document.addEventListener('keydown', onKey, { capture: true })
    return () => document.removeEventListener('keydown', onKey, { capture: true })
  }, [send])
}
