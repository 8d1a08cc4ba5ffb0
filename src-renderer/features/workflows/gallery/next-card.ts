/** Where somebody is on a wall of cards. */
export type Place = { readonly from: number; readonly count: number; readonly columns: number }

/** The card that a key leads to; undefined: none. Arrows move as the cards lie, j and k row by row. */
export function nextCard(key: string, { from, count, columns }: Place): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1 },
    ...{ ArrowDown: columns, j: columns, ArrowUp: -columns, k: -columns },
  }
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const next = from + (steps[key] ?? Number.NaN)
  return next >= 0 && next < count ? next : undefined
}
