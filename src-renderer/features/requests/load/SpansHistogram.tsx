import { type ReactNode, useState } from 'react'
import type { LoadTestResult, Spans } from '../../../../src-main/contract/requests.ts'
import { duration } from '../../../ui/format.ts'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { toBins } from './stats.ts'

export type SpansHistogramProps = {
  readonly shown: readonly { readonly name: string; readonly result: LoadTestResult }[]
}

const KINDS = { Latency: 'latency', Waited: 'delay', Ran: 'execution' } as const
const NAMES = ['Latency', 'Waited', 'Ran'] as const

export function SpansHistogram({ shown }: SpansHistogramProps) {
  const [kind, setKind] = useState<keyof typeof KINDS>('Latency')
  const isSplit = shown.some(({ result }) => result.delay !== undefined || result.execution !== undefined)
  const spans = shown.map(({ name, result }) => ({ name, spans: result[KINDS[kind]] }))
  return (
    <Histogram
      title={shown.length > 1 ? `${kind}, as shares` : kind}
      shown={spans}
      aside={isSplit && <SegmentedChoice label="Time shown" choices={NAMES} value={kind} onChange={setKind} />}
    />
  )
}

type HistogramProps = {
  readonly title: string
  readonly aside?: ReactNode
  readonly shown: readonly { readonly name: string; readonly spans: Spans | undefined }[]
}

const BARS = 48
const HEIGHT = 100
const GAP = 0.12
// Filled first, then a line, as two fills would hide each other.
const STYLES = [
  { bar: 'fill-accent', key: 'bg-accent' },
  { bar: 'fill-transparent stroke-timed-out', key: 'border-2 border-timed-out' },
] as const

/** Logarithmic; two tests are drawn as shares, as their counts may differ. */
function Histogram({ title, aside, shown }: HistogramProps) {
  const known = shown.filter(({ spans }) => spans !== undefined)
  const bins = toBins(
    known.map(({ spans }) => spans?.histogram ?? {}),
    BARS,
  )
  const totals = known.map(({ spans }) => spans?.count ?? 1)
  const shareOf = (counts: readonly number[], at: number) => (counts[at] ?? 0) / (totals[at] ?? 1)
  const most = Math.max(0, ...bins.flatMap(({ counts }) => counts.map((_count, at) => shareOf(counts, at))))
  return (
    <figure className="min-w-0 p-3">
      <figcaption className="mb-2 flex min-h-7 flex-wrap items-center gap-x-3">
        <span className="font-medium">{title}</span>
        {known.length > 1 &&
          known.map(({ name }, at) => (
            <span key={name} className="flex items-center gap-1.5 text-small text-ink-2">
              <span aria-hidden className={`size-3 ${STYLES[at]?.key ?? ''}`} />
              {name}
            </span>
          ))}
        <span className="ml-auto">{aside}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}: ${known.map(({ name, spans }) => `${name} ${summary(spans)}`).join('; ') || 'nothing yet'}`}
        viewBox={`0 0 ${BARS} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line-strong"
      >
        {bins.flatMap(({ from, to, counts }, at) =>
          counts.map((count, which) => {
            const height = most === 0 ? 0 : (shareOf(counts, which) / most) * (HEIGHT - 2)
            return (
              <rect
                key={`${from} ${known[which]?.name}`}
                x={(at * BARS) / bins.length + GAP / 2}
                y={HEIGHT - height}
                width={BARS / bins.length - GAP}
                height={height}
                vectorEffect="non-scaling-stroke"
                strokeWidth={which === 0 ? 0 : 2}
                className={STYLES[which]?.bar ?? ''}
              >
                <title>{`${duration(from)} to ${duration(to)}: ${count.toLocaleString('en')}`}</title>
              </rect>
            )
          }),
        )}
      </svg>
      <div aria-hidden className="flex justify-between pt-1 text-small text-ink-2">
        {ticks(bins).map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places of an axis
          <span key={at}>{text}</span>
        ))}
      </div>
    </figure>
  )
}

const summary = (spans: Spans | undefined) =>
  spans === undefined ? 'none' : `median ${duration(spans.p50)}, 99th percentile ${duration(spans.p99)}`

const TICKS = 5

function ticks(bins: ReturnType<typeof toBins>): readonly string[] {
  const [first] = bins
  const last = bins.at(-1)
  if (first === undefined || last === undefined) return ['–']
  return Array.from({ length: TICKS }, (_tick, at) => {
    if (at === 0) return duration(first.from)
    const bin = bins[Math.round((at * bins.length) / (TICKS - 1)) - 1]
    return duration((bin ?? last).to)
  })
}
