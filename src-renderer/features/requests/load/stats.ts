import type { LoadTest } from '../../../../src-main/contract/requests.ts'
import { duration, percentText } from '../../../ui/format.ts'

export type Stat = {
  readonly name: string
  readonly of: (test: LoadTest) => number | undefined
  readonly write: (value: number) => string
  readonly better: 'more' | 'less' | 'neither'
}

function perSecond({ result }: LoadTest): number | undefined {
  return result.elapsedMs === 0 || result.done === 0 ? undefined : (result.done * 1000) / result.elapsedMs
}

const rate = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} / s`
const whole = (value: number) => value.toLocaleString('en')

const spansOf = (
  name: string,
  kind: 'latency' | 'delay' | 'execution',
  parts: readonly ('p50' | 'p90' | 'p99' | 'max')[],
): readonly Stat[] =>
  parts.map((part) => ({
    name: `${name} ${part}`,
    of: ({ result }) => result[kind]?.[part],
    write: duration,
    better: 'less',
  }))

export const STATS: readonly Stat[] = [
  { name: 'Requests', of: ({ result }) => result.done, write: whole, better: 'neither' },
  {
    name: 'Failed',
    of: ({ result }) => (result.done === 0 ? undefined : (result.failed * 100) / result.done),
    write: percentText,
    better: 'less',
  },
  { name: 'Throughput', of: perSecond, write: rate, better: 'more' },
  ...spansOf('Latency', 'latency', ['p50', 'p90', 'p99', 'max']),
  ...spansOf('Waited', 'delay', ['p50', 'p99']),
  ...spansOf('Ran', 'execution', ['p50', 'p99']),
]

export function planText({ plan }: LoadTest): string {
  const what = plan.operation === 'request' ? `${plan.method ?? 'GET'} ${plan.path ?? '/'}` : plan.operation
  return `${plan.requests.toLocaleString('en')} × ${what}, ${plan.concurrency} at once`
}

export function difference(value: number | undefined, other: number | undefined): number | undefined {
  if (value === undefined || other === undefined || other === 0) return undefined
  return ((value - other) / other) * 100
}

/** Bars of all shown histograms. Spans in ms, `to` included. */
type Bin = { readonly from: number; readonly to: number; readonly counts: readonly number[] }

/** Counts by bucket; bucket n holds durations up to 1.1^n. */
type Histogram = Readonly<Record<string, number>>

const GROWTH = 1.1

/**
 * Merges the service's fine buckets into bars of equally many buckets, which keeps the axis logarithmic.
 * @param most maximum number of bars
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
