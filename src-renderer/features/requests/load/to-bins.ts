/** Bars of a histogram of spans: the fine buckets that the service counts in, put together to as many as one can see. */

/** One bar for each of the histograms that are shown together. Spans in ms, `to` included. */
export type Bin = { readonly from: number; readonly to: number; readonly counts: readonly number[] }

/** Counts by bucket; bucket n holds spans up to 1.1 to the power n. */
type Histogram = Readonly<Record<string, number>>

const GROWTH = 1.1

/**
 * Makes the bars. All of them span the same number of buckets, so that the axis is logarithmic.
 * @param most how many bars there may be
 */
export function toBins(histograms: readonly Histogram[], most: number): readonly Bin[] {
  const buckets = histograms.flatMap((histogram) => Object.keys(histogram).map(Number))
  if (buckets.length === 0) return []
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)]
  const width = Math.ceil((last - first + 1) / most)
  const bins = Math.ceil((last - first + 1) / width)
  const sums = histograms.map((histogram) => {
    const counts = Array.from({ length: bins }, () => 0)
    for (const [bucket, count] of Object.entries(histogram)) {
      const at = Math.floor((Number(bucket) - first) / width)
      counts[at] = (counts[at] ?? 0) + count
    }
    return counts
  })
  return Array.from({ length: bins }, (_bin, at) => ({
    from: at === 0 && first === 0 ? 0 : GROWTH ** (first + at * width - 1),
    to: GROWTH ** (first + (at + 1) * width - 1),
    counts: sums.map((counts) => counts[at] ?? 0),
  }))
}
