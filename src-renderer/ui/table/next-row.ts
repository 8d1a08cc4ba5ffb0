/**
 * The row that a key moves to.
 * @param at.active index of the row that is active now; -1 for none
 * @param at.page rows in sight
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
      return within(active + 1)
    case 'ArrowUp':
    case 'k':
      return within(active - 1)
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
