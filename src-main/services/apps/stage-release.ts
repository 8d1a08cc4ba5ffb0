/**
 * Gets a release ready beside the one that serves: of each endpoint that is new or changes a worker with the new settings
 * is started. All become ready, or all are thrown away.
 */
import type { PlannedStep } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import { endpointIdFrom } from '../../domain/endpoint-id.ts'
import type { Clock, Endpoint, Fleet, NewId, Storage } from '../ports.ts'
import type { StagedWorker } from '../workers/stage-worker.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import type { ReleasePlan } from './plan-release.ts'

/** What staging needs. */
export type StageDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'giveWay'>
}

/** An endpoint as the release will have it. `before` is missing for a new one. */
export type NextEndpoint = { readonly step: PlannedStep; readonly endpoint: Endpoint; readonly before?: Endpoint }

/** Hears how far an endpoint is. */
export type TellStep = (resource: string, state: 'waiting' | 'starting' | 'ready' | 'failed', note?: string) => void

/** Endpoints that the release makes or changes. Those of the plan that stay as they are, or go, are not among them. */
export function nextEndpoints({ storage, clock, newId }: StageDeps, { steps, targets }: ReleasePlan): NextEndpoint[] {
  const taken = new Set<string>()
  const isTaken = (id: string) => taken.has(id) || storage.endpoints.get(id) !== undefined
  return steps.flatMap((step): NextEndpoint[] => {
    const config = targets[step.resource]
    if (config === undefined || step.action === 'unchanged' || step.action === 'delete') return []
    const now = clock.now()
    if (step.endpointId === undefined) {
      const id = endpointIdFrom(step.resource, isTaken, newId.worker)
      taken.add(id)
      const keyHash = newId.hash(newId.key()) // nobody knows it: whoever wants one rotates it
      const endpoint = { id, config, paused: false, keyHash, revision: 1, createdAt: now, updatedAt: now }
      return [{ step, endpoint }]
    }
    const before = storage.endpoints.get(step.endpointId)
    if (before === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: step.endpointId })
    const revision = before.revision + (step.replacesWorkers ? 1 : 0)
    return [{ step, before, endpoint: { ...before, config, revision, updatedAt: now } }]
  })
}

/**
 * Starts a worker for each of them and waits until all are ready.
 * @throws Error that names the endpoint and why; no staged worker is left then
 */
export async function stageRelease(
  deps: StageDeps,
  endpoints: readonly NextEndpoint[],
  tell: TellStep,
  giveUp: AbortController,
): Promise<readonly StagedWorker[]> {
  const needWorkers = endpoints.filter(
    ({ step, endpoint }) => endpoint.config.workersMax > 0 && (step.action === 'create' || step.replacesWorkers),
  )
  const open = new Set(needWorkers.map(({ step: { resource } }) => resource))
  giveUp.signal.addEventListener('abort', () => {
    for (const resource of open) tell(resource, 'waiting', 'given up')
    open.clear()
  })
  const staged = await Promise.allSettled(
    needWorkers.map(async ({ step: { resource }, endpoint, before }) => {
      tell(resource, 'starting')
      try {
        const worker = await stageOne(deps, endpoint, before, giveUp.signal)
        if (open.delete(resource)) tell(resource, 'ready')
        return worker
      } catch (error) {
        const why = (error as Error).message
        // One that was given up says nothing of its own.
        if (open.delete(resource)) {
          tell(resource, 'failed', why)
          giveUp.abort(new Error(`endpoint ${resource}: ${why}`))
        }
        throw error
      }
    }),
  )
  const workers = staged.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (!giveUp.signal.aborted) return workers
  await Promise.all(workers.map((worker) => worker.discard('its release was given up')))
  throw giveUp.signal.reason
}

// Where the last card is held by a worker of the same endpoint, that one goes first: its jobs wait, and none fails.
async function stageOne(
  { fleet, supervisor }: StageDeps,
  endpoint: Endpoint,
  before: Endpoint | undefined,
  signal: AbortSignal,
): Promise<StagedWorker> {
  const isFull = fleet.capacity(endpoint.config).free === 0
  const goOn = before !== undefined && isFull ? await supervisor.giveWay(before.id, signal) : undefined
  try {
    return await supervisor.stage(endpoint, signal)
  } finally {
    goOn?.()
  }
}
