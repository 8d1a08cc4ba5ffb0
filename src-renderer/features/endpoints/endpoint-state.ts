import type { WorkerState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { StateDotProps } from '../../ui/StateDot.tsx'

type Facts = Pick<LiveEndpoint, 'paused' | 'workersMax' | 'inQueue' | 'inProgress' | 'throttledReason' | 'graph'>

/** How an endpoint is, in a word: what a person would want to know first. */
export function endpointState(endpoint: Facts, workers: readonly Pick<WorkerView, 'state'>[]): StateDotProps {
  const inState = (state: WorkerState) => workers.filter((worker) => worker.state === state).length
  const ready = inState('idle') + inState('running')
  if (endpoint.paused) return { tone: 'queued', word: 'Paused' }
  // It has no workers of its own and takes jobs all the same.
  if (endpoint.graph !== undefined) return { tone: 'completed', word: 'Published' }
  if (endpoint.workersMax === 0) return { tone: 'queued', word: 'Closed' }
  if (inState('unhealthy') > 0 && ready === 0) return { tone: 'failed', word: 'Unhealthy' }
  if (endpoint.inProgress > 0 || inState('running') > 0) return { tone: 'running', word: 'Running', pulses: true }
  if (inState('initializing') > 0) return { tone: 'running', word: 'Starting', pulses: true }
  if (endpoint.inQueue > 0) return { tone: 'timed-out', word: 'Waiting' }
  if (ready === 0 && endpoint.throttledReason !== undefined) return { tone: 'timed-out', word: 'Throttled' }
  return ready > 0 ? { tone: 'completed', word: 'Ready' } : { tone: 'queued', word: 'Asleep' }
}

/** What an endpoint runs, in two or three words. */
export function endpointKind({
  loadBalanced,
  app,
  container,
  handler,
  graph,
}: Pick<LiveEndpoint, 'loadBalanced' | 'app' | 'container' | 'handler' | 'graph'>): string {
  if (graph !== undefined) return 'published graph'
  const program = handler !== undefined ? 'handler' : container?.image !== undefined ? 'image' : 'command'
  return `${loadBalanced === undefined ? 'queue' : 'load-balanced'}, ${app === undefined ? program : `app ${app.name}`}`
}
