import { useRef } from 'react'

/**
 * Handlers of a dialog's content that give the focus back when it closes: to the element that had it, or else to the
 * content of the page. Radix does so only for a dialog with a trigger.
 */
export function useReturnFocus() {
  const opener = useRef<HTMLElement>(null)
  return {
    onOpenAutoFocus() {
      const focused = document.querySelector<HTMLElement>(':focus')
      // The item of a menu goes with the menu, whose button stays.
      const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
      opener.current = button == null ? focused : document.getElementById(button)
    },
    onCloseAutoFocus() {
      // The opener may be gone or disabled, and the closing may have moved the focus on purpose.
      for (const element of [opener.current, document.getElementById('content')])
        if (document.activeElement === document.body) element?.focus({ preventScroll: true })
    },
  }
}
