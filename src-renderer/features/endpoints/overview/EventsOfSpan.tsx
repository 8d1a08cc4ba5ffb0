import { useCallback } from 'react'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { EventStrip } from '../../../ui/chart/EventStrip.tsx'
import type { FleetMark } from './event-marks.ts'
import { MarkDetail } from './MarkDetail.tsx'

/** What happened to an endpoint over the span of its charts. */
export type EventsOfSpanProps = {
  readonly endpoint: LiveEndpoint
  readonly marks: readonly FleetMark[]
  readonly from: number
  readonly to: number
}

/** The marks above the charts; which one is looked at stands in the address. */
export function EventsOfSpan({ endpoint, marks, from, to }: EventsOfSpanProps) {
  const [search, setSearch] = useSearchParams()
  const open = useCallback(
    (id: number | undefined) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (id === undefined) next.delete('event')
          else next.set('event', String(id))
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  const openId = search.has('event') ? Number(search.get('event')) : undefined
  return (
    <EventStrip label="Events" marks={marks} from={from} to={to} openId={openId} onOpen={open}>
      {(mark) => <MarkDetail mark={mark} endpoint={endpoint} />}
    </EventStrip>
  )
}
