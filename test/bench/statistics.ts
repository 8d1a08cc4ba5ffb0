/**
 * The value below which the given share of the samples lies, by nearest rank over all of them.
 * @param share 0.5 for the median, 0.99 for p99
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The middle value. */
export const median = (samples: readonly number[]): number => percentile(samples, 0.5)
