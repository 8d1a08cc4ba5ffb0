import type { WorkerView } from '../../src-main/contract/endpoint.ts'
import type { JobState } from '../../src-main/contract/job.ts'
import type { LiveEndpoint, ServiceEvent } from '../../src-main/contract/live.ts'

export type LiveEntities = {
  readonly endpoints: Readonly<Record<string, LiveEndpoint>>
  readonly workers: Readonly<Record<string, WorkerView>>
}

export function applyEvent(live: LiveEntities, event: ServiceEvent): LiveEntities {
  if (event.type === 'job') return applyJob(live, event)
  if (event.type === 'run') return live // the gallery listens to run events itself, so nothing changes here
  return event.type === 'worker' ? applyWorker(live, event) : applyEndpoint(live, event)
}

const RELOADING: readonly EndpointEvent['event'][] = ['created', 'updated', 'reloaded', 'not reloaded']

/** Whether an event tells too little, so that everything has to be reloaded. */
export function needsReload(live: LiveEntities, event: ServiceEvent): boolean {
  if (event.type === 'endpoint') return RELOADING.includes(event.event) || breaksGraph(live, event)
  if (event.type === 'run') return false
  // Only the service knows of crashes: a worker ended unexpectedly, and what follows from that.
  if (live.endpoints[event.endpointId]?.crash !== undefined) return true
  if (event.type === 'job') return false
  const known = live.workers[event.workerId]
  return event.to === 'ended' ? known !== undefined && known.state !== 'stopping' : known === undefined
}

// The event names no graphs that ran on the deleted endpoint.
const breaksGraph = ({ endpoints }: LiveEntities, { event, endpointId }: EndpointEvent) =>
  event === 'deleted' && Object.values(endpoints).some(({ graph }) => graph?.behind === endpointId)

type JobEvent = Extract<ServiceEvent, { type: 'job' }>
type WorkerEvent = Extract<ServiceEvent, { type: 'worker' }>
type EndpointEvent = Extract<ServiceEvent, { type: 'endpoint' }>

function applyJob(live: LiveEntities, event: JobEvent): LiveEntities {
  const endpoint = live.endpoints[event.endpointId]
  if (endpoint === undefined || event.from === event.to) return live
  const change = (state: JobState) => Number(event.to === state) - Number(event.from === state)
  const { waitingReason, waitingNeedsChange, ...rest } = endpoint
  const inQueue = Math.max(0, endpoint.inQueue + change('IN_QUEUE'))
  const patched = {
    ...rest,
    inQueue,
    inProgress: Math.max(0, endpoint.inProgress + change('IN_PROGRESS')),
    ...(inQueue === 0 || waitingReason === undefined ? {} : { waitingReason, waitingNeedsChange }),
  }
  return { endpoints: { ...live.endpoints, [endpoint.id]: patched }, workers: applyToWorker(live.workers, event) }
}

// Workers that take job after job emit no events; their jobs do.
function applyToWorker(workers: LiveEntities['workers'], event: JobEvent): LiveEntities['workers'] {
  const begins = event.to === 'IN_PROGRESS'
  const worker = begins
    ? workers[event.workerId ?? '']
    : Object.values(workers).find(({ jobs }) => jobs.includes(event.jobId))
  if (worker === undefined) return workers
  const others = worker.jobs.filter((id) => id !== event.jobId)
  const jobs = begins ? [...others, event.jobId] : others
  const hasResponse = event.to === 'COMPLETED' || event.to === 'FAILED'
  const works = worker.state === 'idle' || worker.state === 'running'
  const state = works ? (jobs.length > 0 ? 'running' : 'idle') : worker.state
  return { ...workers, [worker.id]: { ...worker, jobs, state, jobsDone: worker.jobsDone + Number(hasResponse) } }
}

function applyWorker(live: LiveEntities, { workerId, endpointId, to, reason, at }: WorkerEvent): LiveEntities {
  if (to === 'ended') {
    const { [workerId]: _gone, ...workers } = live.workers
    return { ...live, workers }
  }
  const known = live.workers[workerId]
  const fresh: WorkerView = { id: workerId, endpointId, state: to, startedAt: at, jobs: [], jobsDone: 0 }
  const { reason: _old, ...worker } = known ?? fresh
  const patched = { ...worker, state: to, ...(reason === undefined ? {} : { reason }) }
  return { ...live, workers: { ...live.workers, [workerId]: patched } }
}

function applyEndpoint(live: LiveEntities, { endpointId, event }: EndpointEvent): LiveEntities {
  if (event === 'deleted') {
    const { [endpointId]: _gone, ...endpoints } = live.endpoints
    return { ...live, endpoints }
  }
  const endpoint = live.endpoints[endpointId]
  if (endpoint === undefined || (event !== 'paused' && event !== 'resumed')) return live
  return { ...live, endpoints: { ...live.endpoints, [endpointId]: { ...endpoint, paused: event === 'paused' } } }
}
