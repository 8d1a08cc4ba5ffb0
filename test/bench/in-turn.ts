/** Results of both sides of a comparison, one entry a round. */
export type Rounds<T> = { readonly ours: readonly T[]; readonly other: readonly T[] }

/** One side: called once a round. */
export type Side<T> = () => Promise<T>

/** Measures any number of sides in turn, A B C A B C; one round first is thrown away. @returns what each gave, by side */
export async function allInTurn<T>(rounds: number, sides: readonly Side<T>[]): Promise<readonly (readonly T[])[]> {
  const results: T[][] = sides.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [at, side] of sides.entries()) {
      const result = await side()
      if (round > 0) results[at]?.push(result)
    }
  }
  return results
}

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
