import { useEffect } from 'react'
import { useApp } from '../store/app-context.ts'
import { isTyping } from '../ui/is-typing.ts'

// How long a key like `g` waits for the one that follows it, ms.
const SEQUENCE_MS = 1000

/**
 * Hears keys anywhere in the window: Ctrl or Cmd K for the palette, `?` for the sheet, `/` for the search of the page, and
 * the keys of all commands that are offered.
 */
export function useShortcuts({
  openPalette,
  openSheet,
  isOpen,
}: {
  readonly openPalette: () => void
  readonly openSheet: () => void
  /** One of the two is open, or about to be: letters are for it, and do nothing on the page. */
  readonly isOpen: boolean
}): void {
  const { store, platform } = useApp()
  useEffect(() => {
    let before: { readonly key: string; readonly at: number } | undefined

    function onKeyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        openPalette()
        return
      }
      // What has closed something by this key has done with it.
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || isOpen || isOverlaid()) return
      if (event.key === '?') openSheet()
      else if (event.key === '/') focusSearch(event)
      else runCommand(event)
    }

    function runCommand(event: KeyboardEvent) {
      const fresh = before !== undefined && platform.now() - before.at < SEQUENCE_MS
      const both = fresh ? `${before?.key} ${event.key}` : undefined
      before = { key: event.key, at: platform.now() }
      // The newest first: what a page offers goes before what is offered everywhere. A key that no other led to stands
      // for itself, however soon after another one it comes.
      const { commands } = store.getState()
      const command =
        commands.findLast(({ keys }) => keys === both && keys !== undefined) ??
        commands.findLast(({ keys }) => keys === event.key)
      if (command === undefined) return
      event.preventDefault()
      before = undefined
      command.run()
    }

    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [store, platform, openPalette, openSheet, isOpen])
}

const isOverlaid = () => document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLElement>('[data-search]')
  if (search === null) return
  event.preventDefault()
  search.focus()
}
