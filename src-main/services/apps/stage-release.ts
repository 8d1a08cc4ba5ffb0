/**
 * Gets a release ready beside the one that serves: of each endpoint that is new or changes a worker with the new settings
 * is started. All become ready, or all are thrown away.
 */
import type { PlannedStep, ReleaseCreate } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import { endpointIdFrom } from '../../domain/endpoint-id.ts'
import type { Clock, Endpoint, NewId, Storage } from '../ports.ts'
import type { StagedWorker } from '../workers/stage-worker.ts'
import { createStagedWorkers, type PlaceDeps } from './find-places.ts'
import type { ReleasePlan } from './plan-release.ts'

/** What staging needs. */
export type StageDeps = PlaceDeps & {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
}

/**
 * An endpoint as the release will have it. `before` is missing for a new one. `isLater`: nobody waits for its worker; it is
 * started when the release is active.
 */
export type NextEndpoint = {
  readonly step: PlannedStep
  readonly endpoint: Endpoint
  readonly before?: Endpoint
  readonly isLater: boolean
}

/** Hears how far an endpoint is. */
export type TellStep = (resource: string, state: 'waiting' | 'starting' | 'ready' | 'failed', note?: string) => void

/**
 * Endpoints that the release makes or changes. Those of the plan that stay as they are, or go, are not among them.
 * @param first names of those that are waited for; undefined: all
 * @param withoutImages ready images are not waited for: theirs may take long to come, and their code does not change
 */
export function nextEndpoints(
  { storage, clock, newId }: StageDeps,
  { steps, targets }: ReleasePlan,
  { first, withoutImages }: Pick<ReleaseCreate, 'first' | 'withoutImages'>,
): NextEndpoint[] {
  const taken = new Set<string>()
  const isTaken = (id: string) => taken.has(id) || storage.endpoints.get(id) !== undefined
  return steps.flatMap((step): NextEndpoint[] => {
    const config = targets[step.resource]
    if (config === undefined || step.action === 'unchanged' || step.action === 'delete') return []
    const isImage = withoutImages && config.container?.image !== undefined
    const now = clock.now()
    if (step.endpointId === undefined) {
      const id = endpointIdFrom(step.resource, isTaken, newId.worker)
      taken.add(id)
      const keyHash = newId.hash(newId.key()) // nobody knows it: whoever wants one rotates it
      const endpoint = { id, config, paused: false, keyHash, revision: 1, createdAt: now, updatedAt: now }
      return [{ step, endpoint, isLater: isImage }]
    }
    const before = storage.endpoints.get(step.endpointId)
    if (before === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: step.endpointId })
    const revision = before.revision + (step.replacesWorkers ? 1 : 0)
    return [
      {
        step,
        before,
        endpoint: { ...before, config, revision, updatedAt: now },
        isLater: isImage || isLater(step, first),
      },
    ]
  })
}

// Other settings than the code may keep it from starting, whatever the caller knows of its code.
function isLater({ resource, changes }: PlannedStep, first: readonly string[] | undefined): boolean {
  return first !== undefined && !first.includes(resource) && changes.every(({ setting }) => setting === 'code')
}

/**
 * Starts a worker for each of them, but those that come later, and waits until all are ready.
 * @returns those that are to be promoted; an endpoint that made room for another one has none
 * @throws Error that names the endpoint and why; no staged worker is left then
 */
export async function stageRelease(
  deps: StageDeps,
  endpoints: readonly NextEndpoint[],
  tell: TellStep,
  giveUp: AbortController,
): Promise<readonly StagedWorker[]> {
  const needWorkers = endpoints.filter(
    ({ step, endpoint, isLater }) =>
      !isLater && endpoint.config.workersMax > 0 && (step.action === 'create' || step.replacesWorkers),
  )
  const open = new Set(needWorkers.map(({ step: { resource } }) => resource))
  giveUp.signal.addEventListener('abort', () => {
    for (const resource of open) tell(resource, 'waiting', 'given up')
    open.clear()
  })
  const fail = (resource: string, why: string) => {
    tell(resource, 'failed', why)
    giveUp.abort(new Error(`endpoint ${resource}: ${why}`))
  }
  const staged = createStagedWorkers(deps, giveUp.signal)
  const stage = async ({ step: { resource }, endpoint, before }: NextEndpoint) => {
    tell(resource, 'starting')
    try {
      await staged.stage({ endpoint, before }, (note) => {
        if (!giveUp.signal.aborted) tell(resource, open.has(resource) ? 'starting' : 'ready', note)
      })
      if (open.delete(resource)) tell(resource, 'ready')
    } catch (error) {
      // One that was given up says nothing of its own.
      if (open.delete(resource)) fail(resource, (error as Error).message)
    }
  }
  try {
    await Promise.all(needWorkers.map(stage))
    const ready = staged.ready()
    for (const { step, endpoint } of needWorkers) {
      // It may have ended while the others were not ready yet.
      const fault = giveUp.signal.aborted ? undefined : ready.get(endpoint)?.fault()
      if (fault !== undefined) fail(step.resource, fault)
    }
    const workers = [...ready.values()]
    if (!giveUp.signal.aborted) return workers
    await Promise.all(workers.map((worker) => worker.discard('its release was given up')))
    throw giveUp.signal.reason
  } finally {
    staged.end()
  }
}
