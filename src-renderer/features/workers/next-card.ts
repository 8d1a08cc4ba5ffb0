/** Where a card is on the page. */
type Place = { readonly left: number; readonly top: number }

/** Which card a key leads to from this one; undefined: none. Arrows move as the cards lie, j and k one by one. */
export function nextCard(places: readonly Place[], from: number, key: string): number | undefined {
  const here = places[from]
  if (here === undefined) return undefined
  const inRange = (at: number) => (at >= 0 && at < places.length ? at : undefined)
  if (key === 'j' || key === 'ArrowRight') return inRange(from + 1)
  if (key === 'k' || key === 'ArrowLeft') return inRange(from - 1)
  if (key === 'Home') return inRange(0)
  if (key === 'End') return inRange(places.length - 1)
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const sign = key === 'ArrowDown' ? 1 : -1
  const ahead = places.map((place, at) => ({ ...place, at })).filter(({ top }) => (top - here.top) * sign > 1)
  const nearest = Math.min(...ahead.map(({ top }) => Math.abs(top - here.top)))
  const row = ahead.filter(({ top }) => Math.abs(Math.abs(top - here.top) - nearest) <= 1)
  return row.toSorted((one, other) => Math.abs(one.left - here.left) - Math.abs(other.left - here.left))[0]?.at
}
