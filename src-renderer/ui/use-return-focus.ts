import { useRef } from 'react'

/**
 * Returns focus when a dialog closes, to the previous element or the page content. Radix does so only for a dialog with
 * a trigger.
 */
export function useReturnFocus() {
  const opener = useRef<HTMLElement>(null)
  return {
    onOpenAutoFocus() {
      const focused = document.querySelector<HTMLElement>(':focus')
      // A menu item disappears with its menu, so focus returns to the menu's button.
      const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
      opener.current = button == null ? focused : document.getElementById(button)
    },
    onCloseAutoFocus() {
      // The opener may be gone or disabled, and closing may have moved the focus on purpose.
      for (const element of [opener.current, document.getElementById('content')])
        if (document.activeElement === document.body) element?.focus({ preventScroll: true })
    },
  }
}
