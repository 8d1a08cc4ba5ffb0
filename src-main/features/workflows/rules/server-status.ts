/** Texts for the status of an endpoint's ComfyUI servers, for commands and pages. */
import type { EndpointServer } from '../../../contract/workflows.ts'
import { ago } from '../../../lib/text.ts'

export const SERVER_STATES = {
  ready: 'takes graphs',
  unread: 'node classes not read yet',
  lost: 'lost',
  draining: 'draining',
  drained: 'drained',
  only: 'the only server',
} as const satisfies Record<EndpointServer['state'], string>

const NAMES_SHOWN = 3

/** @param now ms since the epoch */
export function serverStatusText(
  { state, lostBecause, lostSince }: Pick<EndpointServer, 'state' | 'lostBecause' | 'lostSince'>,
  now: number,
): string {
  if (state !== 'lost' || lostSince === undefined) return SERVER_STATES[state]
  return `${SERVER_STATES.lost} ${ago(lostSince, now)}: ${lostBecause}`
}

/** Undefined: it lacks nothing that another server has. */
export function lacksText({ classes, models }: EndpointServer['lacks']): string | undefined {
  const parts = [named(classes, 'node class', 'node classes'), named(models, 'model', 'models')]
  return parts.filter((part) => part !== undefined).join('; ') || undefined
}

function named(names: readonly string[], noun: string, nouns: string): string | undefined {
  if (names.length === 0) return undefined
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
  return `${names.length === 1 ? noun : nouns} ${names.slice(0, NAMES_SHOWN).join(', ')}${more}`
}
