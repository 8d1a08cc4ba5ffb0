import * as Popover from '@radix-ui/react-popover'
import clsx from 'clsx'
import type { ReactNode } from 'react'
import { DAY_MS } from '../../../src-main/lib/units.ts'
import { TONE_FILLS, type Tone } from '../colours.ts'

export type EventMark = {
  readonly id: number
  readonly at: number
  readonly tone: Tone
  readonly label: string
  readonly weight: number
}

export type EventStripProps<Mark extends EventMark> = {
  readonly label: string
  readonly marks: readonly Mark[]
  readonly from: number
  readonly to: number
  readonly openId: number | undefined
  readonly onOpen: (id: number | undefined) => void
  readonly children: (mark: Mark) => ReactNode
}

// A mark is 12 px wide, and the narrowest strip about 700.
const SLOTS = 60
const SHOWN = 30

export function EventStrip<Mark extends EventMark>({
  label,
  marks,
  from,
  to,
  children,
  ...open
}: EventStripProps<Mark>) {
  const clusters = clusterMarks(marks, { from, to, slots: SLOTS })
  return (
    <section aria-label={label} className="flex items-center gap-3 border-b border-line px-3 py-1.5">
      <span className="text-small text-ink-2">{label}</span>
      <time className="text-small text-ink-2">{clock(from, to)}</time>
      <ol className="relative h-6 min-w-0 flex-1">
        <li aria-hidden className="absolute inset-x-0 top-1/2 h-px bg-line" />
        {clusters.map((cluster) => (
          <Cluster key={cluster.position} cluster={cluster} {...open}>
            {children}
          </Cluster>
        ))}
      </ol>
      <time className="text-small text-ink-2">{clock(to, from)}</time>
    </section>
  )
}

type ClusterProps<Mark extends EventMark> = Pick<EventStripProps<Mark>, 'openId' | 'onOpen' | 'children'> & {
  readonly cluster: MarkCluster<Mark>
}

function Cluster<Mark extends EventMark>({ cluster, openId, onOpen, children }: ClusterProps<Mark>) {
  const { marks, position } = cluster
  const newest = marks.at(-1)
  const main = marks.reduce((most, mark) => (mark.weight > most.weight ? mark : most))
  const names = [...new Set(marks.map(({ label }) => label))].join(', ')
  return (
    <li className="absolute top-0 -translate-x-1/2" style={{ left: `${(position * 100).toFixed(2)}%` }}>
      <Popover.Root
        open={marks.some(({ id }) => id === openId)}
        onOpenChange={(isOpen) => onOpen(isOpen ? newest?.id : undefined)}
      >
        <Popover.Trigger
          aria-label={marks.length === 1 ? names : `${marks.length} events: ${names}`}
          className="group flex h-6 w-3 items-center justify-center rounded-control"
        >
          <span
            className={clsx(
              'rounded-full transition-transform group-hover:scale-150 motion-reduce:transition-none',
              marks.length > 1 ? 'h-4 w-1.5' : 'size-2',
              TONE_FILLS[main.tone],
            )}
          />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            aria-label={names}
            sideOffset={4}
            collisionPadding={8}
            className="enters z-40 max-h-80 w-80 overflow-y-auto rounded-control border border-line bg-surface-1 shadow-float outline-none"
          >
            <ul className="divide-y divide-line">
              {marks
                .slice(-SHOWN)
                .toReversed()
                .map((mark) => (
                  <li key={mark.id} className="px-3 py-2">
                    {children(mark)}
                  </li>
                ))}
              {marks.length > SHOWN && (
                <li className="px-3 py-2 text-ink-2">
                  {marks.length - SHOWN} earlier ones: choose a shorter time span to see them.
                </li>
              )}
            </ul>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </li>
  )
}

const HOURS = { hour: '2-digit', minute: '2-digit', hour12: false } as const

// For a range of days, the day says more than the minute.
function clock(at: number, other: number): string {
  const isLong = Math.abs(other - at) > DAY_MS
  return new Date(at).toLocaleString('en-GB', isLong ? { day: 'numeric', month: 'short' } : HOURS)
}

type AtMoment = { readonly at: number }

type MarkCluster<Mark extends AtMoment> = {
  readonly marks: readonly Mark[]
  /** Its position: 0 is the start of the range, 1 its end. */
  readonly position: number
}

export function clusterMarks<Mark extends AtMoment>(
  marks: readonly Mark[],
  { from, to, slots }: { readonly from: number; readonly to: number; readonly slots: number },
): readonly MarkCluster<Mark>[] {
  const span = Math.max(1, to - from)
  const inSpan = marks.filter(({ at }) => at >= from && at <= to).toSorted((one, other) => one.at - other.at)
  const bySlot = Map.groupBy(inSpan, ({ at }) => Math.min(slots - 1, Math.floor(((at - from) / span) * slots)))
  return [...bySlot].map(([position, group]) => ({ marks: group, position: (position + 0.5) / slots }))
}
