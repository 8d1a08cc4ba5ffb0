import { useEffect } from 'react'

/** Calls `send` on Ctrl or Cmd Enter, wherever the focus is; in a panel above the page and on a link they mean something else. */
export function useSendKey(send: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], a') !== null) return
      // Before the editor, which would make an empty line of it.
      event.preventDefault()
      event.stopPropagation()
      send()
    }
    document.addEventListener('keydown', hear, { capture: true })
    return () => document.removeEventListener('keydown', hear, { capture: true })
  }, [send])
}
