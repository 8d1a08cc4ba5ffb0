import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { duration } from '../../../ui/format.ts'

/** One figure of a load test. */
export type Figure = {
  readonly name: string
  readonly of: (test: LoadTest) => number | undefined
  readonly write: (value: number) => string
  /** Which is better; what was asked for is neither. */
  readonly better: 'more' | 'less' | 'neither'
}

/** Requests that ended in a second; undefined before the first. */
function perSecond({ result }: LoadTest): number | undefined {
  return result.elapsedMs === 0 || result.done === 0 ? undefined : (result.done * 1000) / result.elapsedMs
}

const rate = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} / s`
const whole = (value: number) => value.toLocaleString('en')
const percent = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} %`

/** The figures that two load tests are compared by. */
export const FIGURES: readonly Figure[] = [
  { name: 'Requests', of: ({ result }) => result.done, write: whole, better: 'neither' },
  {
    name: 'Failed',
    of: ({ result }) => (result.done === 0 ? undefined : (result.failed * 100) / result.done),
    write: percent,
    better: 'less',
  },
  { name: 'Throughput', of: perSecond, write: rate, better: 'more' },
  ...(['p50', 'p90', 'p99', 'max'] as const).map((part) => ({
    name: `Latency ${part}`,
    of: ({ result }: LoadTest) => result.latency?.[part],
    write: duration,
    better: 'less' as const,
  })),
  ...(['p50', 'p99'] as const).map((part) => ({
    name: `Waited ${part}`,
    of: ({ result }: LoadTest) => result.delay?.[part],
    write: duration,
    better: 'less' as const,
  })),
  ...(['p50', 'p99'] as const).map((part) => ({
    name: `Ran ${part}`,
    of: ({ result }: LoadTest) => result.execution?.[part],
    write: duration,
    better: 'less' as const,
  })),
]

/** What was sent, in words: `2,000 × runsync, 16 at once`. */
export function planText({ plan }: LoadTest): string {
  const what = plan.operation === 'request' ? `${plan.method ?? 'GET'} ${plan.path ?? '/'}` : plan.operation
  return `${plan.requests.toLocaleString('en')} × ${what}, ${plan.concurrency} at once`
}

/** How far one figure is from another, in percent of the other; undefined where that says nothing. */
export function difference(value: number | undefined, other: number | undefined): number | undefined {
  if (value === undefined || other === undefined || other === 0) return undefined
  return ((value - other) / other) * 100
}
