import type { FleetEvent } from '../../../../src-main/contract/fleet-events.ts'
import type { EventMark } from '../../../ui/chart/EventStrip.tsx'

/** A mark with the event that it stands for. */
export type FleetMark = EventMark & { readonly event: FleetEvent }

/** What events are drawn as: worse and rarer ones go before steps of scaling. */
export function toMarks(events: readonly FleetEvent[]): readonly FleetMark[] {
  return events.map((event) => ({ id: event.id, at: event.at, event, ...looks(event) }))
}

function looks({ kind, event }: FleetEvent): Pick<FleetMark, 'tone' | 'label' | 'weight'> {
  switch (kind) {
    case 'crash':
      return { tone: 'failed', label: 'Worker crashed', weight: 4 }
    case 'release':
      return { tone: 'completed', label: 'Release activated', weight: 3 }
    case 'endpoint':
      return { tone: 'timed-out', label: `Endpoint ${event}`, weight: 2 }
    case 'scale':
      return { tone: 'running', label: event === 'initializing' ? 'Worker started' : 'Worker stopped', weight: 1 }
    case 'worker':
      return { tone: 'queued', label: `Worker ${event}`, weight: 0 }
  }
}
