import type { EndpointDependents, EndpointState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { WITH_ENDPOINTS } from '../../../src-main/features/endpoints/rules/deletion-text.ts'
import { dependentsText } from '../../../src-main/features/endpoints/rules/dependents.ts'
import { endpointStateLabel, endpointStateOf } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { ENDPOINT_TABS, type EndpointTab } from '../../addresses.ts'
import type { Tone } from '../../ui/colours.ts'
import type { StateDotProps } from '../../ui/StateDot.tsx'

type Facts = Pick<
  LiveEndpoint,
  | 'paused'
  | 'workersMin'
  | 'workersMax'
  | 'inQueue'
  | 'inProgress'
  | 'throttledReason'
  | 'graph'
  | 'brokenReason'
  | 'crash'
>

const TONES: Readonly<Record<EndpointState, Tone>> = {
  paused: 'queued',
  broken: 'failed',
  published: 'completed',
  closed: 'queued',
  crashing: 'failed',
  unhealthy: 'failed',
  running: 'running',
  starting: 'running',
  waiting: 'timed-out',
  throttled: 'timed-out',
  ready: 'completed',
  asleep: 'queued',
}

export const NEW_ENDPOINT_TITLES = {
  handler: 'New endpoint from a handler file',
  command: 'New endpoint from a command',
  web: 'New endpoint from a web app',
  image: 'New endpoint from an image',
} as const

export type NewEndpoint = keyof typeof NEW_ENDPOINT_TITLES

export const NEW_ENDPOINTS = Object.keys(NEW_ENDPOINT_TITLES) as readonly NewEndpoint[]

export function stateNow(endpoint: Facts, workers: readonly Pick<WorkerView, 'state' | 'pool'>[]): EndpointState {
  return endpointStateOf({ ...endpoint, workers })
}

export function endpointStateDot(state: EndpointState): StateDotProps {
  const tone = TONES[state]
  return { tone, text: endpointStateLabel(state), ...(tone === 'running' && { pulses: true }) }
}

export function endpointState(endpoint: Facts, workers: readonly Pick<WorkerView, 'state' | 'pool'>[]): StateDotProps {
  return endpointStateDot(stateNow(endpoint, workers))
}

export function nameInApp({ name, app }: Pick<LiveEndpoint, 'name' | 'app'>): string {
  return app !== undefined && name.startsWith(`${app.resource} (`) ? app.resource : name
}

export type EndpointKindName = `queue, ${'handler' | 'command' | 'image' | 'app'}` | 'load-balanced' | 'published graph'

export function endpointKind({
  loadBalanced,
  app,
  container,
  handler,
  graph,
}: Pick<LiveEndpoint, 'loadBalanced' | 'app' | 'container' | 'handler' | 'graph'>): EndpointKindName {
  if (graph !== undefined) return 'published graph'
  const program = handler !== undefined ? 'handler' : container?.image !== undefined ? 'image' : 'command'
  return loadBalanced === undefined ? (`queue, ${app === undefined ? program : 'app'}` as const) : 'load-balanced'
}

const TABS_OF_WORKERS: readonly EndpointTab[] = ['jobs', 'workers', 'logs', 'what-if', 'queue']

/** A published graph has no tabs of workers: its jobs run on another endpoint. */
export function endpointTabs({ graph }: Pick<LiveEndpoint, 'graph'>): readonly EndpointTab[] {
  return graph === undefined ? ENDPOINT_TABS : ENDPOINT_TABS.filter((tab) => !TABS_OF_WORKERS.includes(tab))
}

export function deleteEffects(dependents: EndpointDependents | undefined): string {
  const breaks = dependents && dependentsText(dependents)
  return `Its workers stop.${breaks === undefined ? '' : ` This breaks: ${breaks}.`} Its key, ${WITH_ENDPOINTS} are deleted. This cannot be undone.`
}
