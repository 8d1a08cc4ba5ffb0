import type { FleetEvent } from '../../../../src-main/contract/fleet-events.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'

/** What is shown: all that is of use, or one kind. The words stand in the address. */
export const EVENT_CHOICES = ['all', 'crashes', 'scaling', 'endpoints', 'releases', 'moves'] as const

/** One of them. */
export type EventChoice = (typeof EVENT_CHOICES)[number]

/** The kinds of a choice, as the service wants them; undefined: all but plain moves. */
export const KINDS_OF: Readonly<Record<EventChoice, FleetEvent['kind'] | undefined>> = {
  all: undefined,
  crashes: 'crash',
  scaling: 'scale',
  endpoints: 'endpoint',
  releases: 'release',
  moves: 'worker',
}

/** What happened, in a word with its colour. */
export function eventDot({ kind, event }: Pick<FleetEvent, 'kind' | 'event'>): StateDotProps {
  if (kind === 'crash') return { tone: 'failed', word: event === 'unhealthy' ? 'Unhealthy' : 'Crashed' }
  if (kind === 'release') return { tone: 'completed', word: 'Release active' }
  if (kind === 'scale')
    return event === 'stopping' ? { tone: 'queued', word: 'Stops' } : { tone: 'running', word: 'Starts' }
  if (kind === 'endpoint') return { tone: 'retried', word: capital(event) }
  return { tone: 'queued', word: capital(event) }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
