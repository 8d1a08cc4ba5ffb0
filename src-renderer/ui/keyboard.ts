/**
 * @param at.active index of the active row; -1 for none
 * @returns undefined when the key moves nothing
 */
export function nextRow(
  key: string,
  { active, count, page }: { readonly active: number; readonly count: number; readonly page: number },
): number | undefined {
  if (count === 0) return undefined
  const within = (index: number) => Math.min(count - 1, Math.max(0, index))
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return active < count - 1 ? active + 1 : undefined
    case 'ArrowUp':
    case 'k':
      return active === 0 ? undefined : within(active - 1)
    case 'PageDown':
      return within(active + page)
    case 'PageUp':
      return within(active - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** How long a key like `g` waits for the next one, ms. */
export const SEQUENCE_MS = 1000

/**
 * An overlay takes the keys instead of the page.
 * @param others selectors of overlays besides dialogs and menus
 */
export function isOverlaid(...others: readonly string[]): boolean {
  const selectors = ['[role="dialog"]', '[role="alertdialog"]', '[role="menu"]', ...others]
  return document.querySelector(selectors.join(', ')) !== null
}
