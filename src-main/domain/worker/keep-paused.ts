import type { EndpointConfig } from '../../contract/endpoint.ts'

/** How long an idle container without a GPU stays paused, ms; source: ours, a pause at the desk costs no cold start. */
const KEEP_PAUSED_MS = 600_000

/**
 * How long a worker of this endpoint stays paused before it ends, ms; 0: it is never paused. Processes are not: they
 * start fast. With a GPU only where the endpoint asks for it: a paused worker holds the memory of its card.
 * Source: issue, Speed.
 */
export function keepPausedMs({ container }: Pick<EndpointConfig, 'container'>): number {
  if (container === undefined) return 0
  return container.keepPausedMs ?? (container.gpu === undefined ? KEEP_PAUSED_MS : 0)
}
