/**
 * Stages a release: every new or changed endpoint starts a worker; once all are ready the release is activated,
 * otherwise all are discarded.
 */
import type { PlannedStep, ReleaseCreate } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Environment, Release, Storage } from '../../storage/storage.ts'
import { endpointIdFrom } from '../endpoints/rules/ids.ts'
import type { StagedWorker } from '../workers/stage-worker.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import { readEndpointsOf } from './environment-endpoints.ts'
import type { ReleasePlan } from './plan-release.ts'
import { keepVersion } from './released-graphs.ts'
import { partsOf } from './rules/plan.ts'
import { removeUnused } from './variables.ts'

export type StageDeps = StagedWorkerDeps & {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
}

/** `before` is missing for a new endpoint. `isLater`: its worker starts only after activation. */
export type NextEndpoint = {
  readonly step: PlannedStep
  readonly endpoint: Endpoint
  readonly before?: Endpoint
  readonly isLater: boolean
}

export type ReportStep = (resource: string, state: 'waiting' | 'starting' | 'ready' | 'failed', note?: string) => void

/**
 * Endpoints a release creates or changes.
 * @param first names to wait for; undefined for all
 * @param ids known ids of new ones
 * @param withoutImages prebuilt images are not awaited: pulling may take long and their code stays the same
 */
export function nextEndpoints(
  { storage, clock, newId }: StageDeps,
  { steps, targets, graphs }: Pick<ReleasePlan, 'steps' | 'targets' | 'graphs'>,
  {
    first,
    withoutImages,
    ids,
  }: Pick<ReleaseCreate, 'first' | 'withoutImages'> & { readonly ids?: ReadonlyMap<string, string> },
): NextEndpoint[] {
  const taken = new Set<string>()
  const isTaken = (id: string) => taken.has(id) || storage.endpoints.get(id) !== undefined
  const next = steps.flatMap((step): NextEndpoint[] => {
    const config = targets[step.resource]
    if (config === undefined || step.action === 'unchanged' || step.action === 'delete') return []
    const isImage = withoutImages && config.container?.image !== undefined
    const now = clock.now()
    if (step.endpointId === undefined) {
      const id = ids?.get(step.resource) ?? endpointIdFrom(step.resource, isTaken, newId.worker)
      taken.add(id)
      const keyHash = newId.hash(newId.key()) // nobody knows this key: rotate it to get one
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
  const made = new Map(next.flatMap((one) => (one.before === undefined ? [[one.step.resource, one.endpoint.id]] : [])))
  return next.map((one) => onBackingEndpoint(one, made.get(graphs.get(one.step.resource)?.behind ?? '')))
}

function onBackingEndpoint(next: NextEndpoint, backingId: string | undefined): NextEndpoint {
  const { endpoint } = next
  const { graph } = endpoint.config
  if (graph === undefined || backingId === undefined) return next
  return { ...next, endpoint: { ...endpoint, config: { ...endpoint.config, graph: { ...graph, behind: backingId } } } }
}

function isLater({ resource, changes }: PlannedStep, first: readonly string[] | undefined): boolean {
  return first !== undefined && !first.includes(resource) && changes.every(({ setting }) => setting === 'code')
}

/**
 * Starts a worker per awaited endpoint until all are ready.
 * @returns those to promote; an endpoint that freed its slot has none
 * @throws Error naming endpoint and reason; no staged worker remains
 */
export async function stageRelease(
  deps: StageDeps,
  endpoints: readonly NextEndpoint[],
  report: ReportStep,
  giveUp: AbortController,
): Promise<readonly StagedWorker[]> {
  const needWorkers = endpoints.filter(
    ({ step, endpoint, isLater }) =>
      !isLater && endpoint.config.workersMax > 0 && (step.action === 'create' || step.replacesWorkers),
  )
  const open = new Set(needWorkers.map(({ step: { resource } }) => resource))
  giveUp.signal.addEventListener('abort', () => {
    for (const resource of open) report(resource, 'waiting', 'given up')
    open.clear()
  })
  const fail = (resource: string, why: string) => {
    report(resource, 'failed', why)
    giveUp.abort(new Error(`endpoint ${resource}: ${why}`))
  }
  const staged = createStagedWorkers(deps, giveUp.signal)
  const stage = async ({ step: { resource }, endpoint, before }: NextEndpoint) => {
    report(resource, 'starting')
    try {
      await staged.stage({ endpoint, before }, (note) => {
        if (!giveUp.signal.aborted) report(resource, open.has(resource) ? 'starting' : 'ready', note)
      })
      if (open.delete(resource)) report(resource, 'ready')
    } catch (error) {
      if (open.delete(resource)) fail(resource, (error as Error).message)
    }
  }
  try {
    await Promise.all(needWorkers.map(stage))
    const ready = staged.ready()
    for (const { step, endpoint } of needWorkers) {
      const problem = giveUp.signal.aborted ? undefined : ready.get(endpoint)?.problem()
      if (problem !== undefined) fail(step.resource, problem)
    }
    const workers = [...ready.values()]
    if (!giveUp.signal.aborted) return workers
    await Promise.all(workers.map((worker) => worker.discard('its release was cancelled')))
    throw giveUp.signal.reason
  } finally {
    staged.end()
  }
}

// Slots for staged workers; if all are taken, the endpoint's own workers leave first. Scarce GPUs serve endpoints in
// turn: each proves its worker, then releases the GPU until needed.

type StagedWorkerDeps = {
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'giveWay'>
}

type Staged = { readonly endpoint: Endpoint; readonly before?: Endpoint | undefined }

type Report = (note?: string) => void

function createStagedWorkers({ fleet, supervisor }: StagedWorkerDeps, signal: AbortSignal) {
  const ready = new Map<Endpoint, StagedWorker>()
  const tellers = new Map<Endpoint, Report>()
  const starting = new Set<Promise<unknown>>()
  const goOn: (() => void)[] = []
  let turn: Promise<unknown> = Promise.resolve()

  const isFull = ({ config }: Endpoint) => fleet.capacity(config).free <= (wantsCard(config) ? starting.size : 0)

  async function giveWay({ endpoint, before }: Staged, report: Report): Promise<void> {
    if (before === undefined || !isFull(endpoint)) return
    report('waits for the last jobs of a worker that it replaces')
    goOn.push(await supervisor.giveWay(before.id, () => !isFull(endpoint), signal))
    report()
  }

  async function findCard(staged: Staged, report: Report): Promise<void> {
    while (isFull(staged.endpoint) && starting.size > 0 && !signal.aborted) {
      report('waits for a GPU on which another endpoint of this release starts')
      await Promise.race(starting)
    }
    report()
    await giveWay(staged, report)
    for (const [endpoint, worker] of ready) {
      if (!isFull(staged.endpoint) || signal.aborted) return
      if (!wantsCard(endpoint.config)) continue
      ready.delete(endpoint)
      tellers.get(endpoint)?.('it works; another endpoint of this release now has its GPU')
      await worker.discard('another endpoint of its release needs its GPU')
    }
  }

  async function start({ endpoint }: Staged): Promise<void> {
    ready.set(
      endpoint,
      await supervisor.stage(endpoint, { pool: 'main', because: 'its release is being prepared', signal }),
    )
  }

  // Nothing is awaited between the check and the start, so nobody else can take the GPU.
  async function startWithCard(staged: Staged, report: Report) {
    await findCard(staged, report)
    const started = start(staged)
    const settled: Promise<unknown> = started.catch(() => undefined).then(() => starting.delete(settled))
    starting.add(settled)
    return { started }
  }

  return {
    /**
     * Stages an endpoint's worker once it has a slot or the release cannot free one; resolves when ready.
     * @throws Error as the supervisor's `stage` does
     */
    async stage(staged: Staged, report: Report): Promise<void> {
      signal.throwIfAborted()
      tellers.set(staged.endpoint, report)
      if (!wantsCard(staged.endpoint.config)) {
        await giveWay(staged, report)
        return start(staged)
      }
      const begun = turn.then(() => startWithCard(staged, report))
      turn = begun.catch(() => undefined)
      return (await begun).started
    },
    ready: (): ReadonlyMap<Endpoint, StagedWorker> => ready,
    end() {
      for (const each of goOn) each()
    },
  }
}

function wantsCard({ container }: Endpoint['config']): boolean {
  return container?.gpu !== undefined
}

type ReadyRelease = {
  readonly environment: Environment
  readonly release: Release
  readonly plan: Pick<ReleasePlan, 'steps' | 'targets' | 'graphs'>
  readonly endpoints: readonly NextEndpoint[]
}

/** @throws AppError ENDPOINT_EXISTS, ENDPOINT_NOT_FOUND; Error if it was given up or endpoints have changed */
export function activateRelease(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { environment, release, plan, endpoints }: ReadyRelease,
): Promise<Release> {
  return storage.write(() => {
    const now = clock.now()
    refuseOtherEndpoints(storage, environment, plan)
    for (const { step, endpoint, before } of endpoints) {
      if (before === undefined) storage.endpoints.save(endpoint, 'created', now)
      else storage.endpoints.save(changed(storage, before, endpoint, now), 'updated', now)
      const graph = plan.graphs.get(step.resource)
      if (graph !== undefined) keepVersion(storage, endpoint, graph, now)
    }
    const previous = storage.apps.releaseIn(environment.id, 'active')
    if (previous !== undefined)
      storage.apps.moveRelease(previous.id, 'supersede', `release ${release.number} took over`, now)
    const active = storage.apps.moveRelease(release.id, 'activate', undefined, now)
    if (active === undefined) throw new Error(`release ${release.number} is no longer being prepared`)
    removeUnused(storage, environment)
    const name = `release ${release.number} of ${environment.app}, ${environment.name}`
    for (const { endpoint } of endpoints) storage.events.recordActivation(endpoint.id, name, now)
    return active
  })
}

function refuseOtherEndpoints(storage: Storage, environment: Environment, plan: ReadyRelease['plan']): void {
  const there = new Map(readEndpointsOf(storage, environment).map((endpoint) => [endpoint.app.resource, endpoint]))
  for (const { resource, action, endpointId } of plan.steps) {
    const found = there.get(resource)
    const wanted = plan.targets[resource]?.app
    if (action === 'create' && found !== undefined)
      throw new AppError('ENDPOINT_EXISTS', { field: 'id', value: found.id })
    const isAsPlanned =
      found?.id === endpointId && found?.app.code === wanted?.code && found?.app.variables === wanted?.variables
    if (action === 'unchanged' && !isAsPlanned)
      throw new Error(`endpoint ${resource} was changed or deleted in the meantime. Deploy again`)
  }
}

// Starts from the current row to keep pauses, new keys and personal settings. Other changed settings are refused,
// because the ready worker lacks them.
function changed({ endpoints }: Storage, before: Endpoint, next: Endpoint, now: number): Endpoint {
  const current = endpoints.read(before.id)
  if (current === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: before.id })
  const { ofPerson, ofRelease } = partsOf(current.config)
  if (
    current.revision !== before.revision ||
    JSON.stringify(ofRelease) !== JSON.stringify(partsOf(before.config).ofRelease)
  )
    throw new Error(`the settings of endpoint ${before.id} were changed in the meantime. Deploy again`)
  const config = { ...next.config, ...ofPerson }
  return { ...current, config, revision: next.revision, updatedAt: now }
}
