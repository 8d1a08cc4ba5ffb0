/** What both sides of a comparison gave, one entry a round. */
export type Rounds<T> = { readonly ours: readonly T[]; readonly other: readonly T[] }

/** One side: called once a round. */
export type Side<T> = () => Promise<T>

/**
 * Measures two sides in turn, A B A B, so that a noisy minute of the machine falls on both. One round first is thrown
 * away: it warms both up.
 */
export async function inTurn<T>(rounds: number, ours: Side<T>, other: Side<T>): Promise<Rounds<T>> {
  const results: { ours: T[]; other: T[] } = { ours: [], other: [] }
  await ours()
  await other()
  for (let round = 0; round < rounds; round++) {
    results.ours.push(await ours())
    results.other.push(await other())
  }
  return results
}
