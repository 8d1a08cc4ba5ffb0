/**
 * The card of a wall that a key leads to.
 * @param tops upper edges of the cards in their order, px
 * @param at place of the card that has the focus
 * @returns undefined where the key leads nowhere
 */
export function nextCard(tops: readonly number[], at: number, key: string): number | undefined {
  const columns = columnsOf(tops)
  const step = STEPS[key]?.(columns)
  const to = key === 'Home' ? 0 : key === 'End' ? tops.length - 1 : step === undefined ? undefined : at + step
  return to === undefined || to < 0 || to >= tops.length || to === at ? undefined : to
}

const STEPS: Readonly<Record<string, (columns: number) => number>> = {
  ArrowRight: () => 1,
  ArrowLeft: () => -1,
  j: () => 1,
  k: () => -1,
  ArrowDown: (columns) => columns,
  ArrowUp: (columns) => -columns,
}

function columnsOf(tops: readonly number[]): number {
  const second = tops.findIndex((top) => top !== tops[0])
  return second < 0 ? tops.length : second
}
