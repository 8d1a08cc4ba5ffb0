import {
  type EndpointConfig,
  type EndpointUpdate,
  endpointConfig,
  programProblem,
  RESERVED_IDS,
} from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { JOB_STATES } from '../../contract/job.ts'
import { isReserved, RESERVED_TEXT } from '../../contract/reserved-variables.ts'
import { workflowWorker } from '../../contract/workflows.ts'
import { type Clock, momentOf, type NewId } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { writeInSlices } from '../../lib/write-slices.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { SEEN_AT_START } from '../apps/rules/plan.ts'
import { purgeQueue } from '../jobs/queue/change-many-jobs.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import type { ProjectFolders } from '../projects/ports.ts'
import { activeFaults } from '../workers/rules/faults.ts'
import {
  hasSeveralServers,
  type ServerChange,
  serversProblem,
  serverText,
  withServerChange,
} from '../workflows/rules/server-address.ts'
import { kindOf } from './kinds/endpoint-kinds.ts'
import { endpointIdFrom } from './rules/ids.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

export type NewEndpointDeps = Deps & { readonly projects: { readonly folders: Pick<ProjectFolders, 'isFile'> } }

export type EndpointAndKey = { readonly endpoint: Endpoint; readonly key: string }

/** @throws AppError ENDPOINT_EXISTS if id or name is taken, BAD_FIELD if its handler file is missing */
export async function createEndpoint(
  { storage, clock, newId, projects }: NewEndpointDeps,
  config: EndpointConfig,
  wantedId: string | undefined,
): Promise<EndpointAndKey> {
  refuseReserved(config.env)
  await requireHandlerFile(projects, config.handler)
  const key = newId.key()
  const endpoint = await storage.write(() => {
    const made = newEndpoint({ storage, newId }, { config, wantedId, key, now: clock.now() })
    storage.endpoints.save(made, 'created', made.createdAt)
    return made
  })
  return { endpoint, key }
}

// For pages, commands and programs alike; a file deleted later is reported by the worker.
async function requireHandlerFile(
  { folders }: NewEndpointDeps['projects'],
  handler: string | undefined,
): Promise<void> {
  if (handler === undefined) return
  const problem = isAbsolutePath(handler)
    ? (await folders.isFile(handler))
      ? undefined
      : `there is no file ${handler} on the machine of the service. Give the path of a file in Python or TypeScript`
    : 'give the whole path of the file'
  if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'handler', why: problem })
}

// Deploys set some, so unchanged values may stay.
function refuseReserved(env: EndpointConfig['env'] | undefined, before: EndpointConfig['env'] = {}): void {
  const name = Object.keys(env ?? {}).find((name) => isReserved(name) && env?.[name] !== before[name])
  if (name !== undefined) throw new AppError('BAD_FIELD', { field: `env.${name}`, why: RESERVED_TEXT })
}

const isAbsolutePath = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path)

/**
 * @param key stored only as a hash
 * @throws AppError ENDPOINT_EXISTS if id or name is taken, BAD_FIELD for a reserved id
 */
export function newEndpoint(
  { storage, newId }: Pick<Deps, 'storage' | 'newId'>,
  wish: {
    readonly config: EndpointConfig
    readonly wantedId: string | undefined
    readonly key: string
    readonly now: number
  },
): Endpoint {
  const { config, wantedId, key, now } = wish
  if (wantedId !== undefined && RESERVED_IDS.has(wantedId))
    throw new AppError('BAD_FIELD', { field: 'id', why: `${wantedId} is reserved. Choose another one` })
  refuseTaken(storage, 'id', wantedId, undefined)
  refuseTaken(storage, 'name', config.name, undefined)
  refuseTakenPort(storage, config.comfyuiPort, undefined)
  refuseServers(config)
  const isTaken = (candidate: string) => storage.endpoints.read(candidate) !== undefined
  return {
    id: wantedId ?? endpointIdFrom(config.name, isTaken, newId.worker),
    config: withFaults(config, config.faults),
    paused: false,
    keyHash: newId.hash(key),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Programs know the whole configuration: null removes what people can only replace, and `platform` is set by platform
 * clients.
 */
export type EndpointChanges = Omit<EndpointUpdate, 'handler' | 'command' | 'loadBalanced'> & {
  readonly [Name in 'handler' | 'command' | 'loadBalanced' | 'platform']?: EndpointConfig[Name] | null
}

/**
 * @throws AppError ENDPOINT_EXISTS if the name is taken, BAD_FIELD for inconsistent settings or a missing handler file,
 * ENDPOINT_NOT_FOUND if deleted meanwhile
 */
export async function updateEndpoint(
  deps: NewEndpointDeps,
  { id }: Endpoint,
  changes: EndpointChanges,
): Promise<Endpoint> {
  await requireHandlerFile(deps.projects, changes.handler ?? undefined)
  const changed = await change(deps, id, 'updated', (endpoint) => withChanges(deps.storage, endpoint, changes))
  if (changes.faults !== undefined) deps.storage.poke()
  return changed
}

function withChanges(storage: Storage, endpoint: Endpoint, changes: EndpointChanges): Endpoint {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const other =
    changes.handler !== undefined ? { command: null } : changes.command !== undefined ? { handler: null } : {}
  refuseReserved(changes.env ?? undefined, endpoint.config.env)
  refuseTaken(storage, 'name', changes.name, endpoint.id)
  refuseTakenPort(storage, given.comfyuiPort, endpoint.id)
  const setting = Object.keys(given).find((name) => name !== 'name')
  if (kindOf(endpoint).backingId(endpoint) !== undefined && setting !== undefined)
    throw new AppError('BAD_FIELD', { field: setting, why: 'a published graph has no workers of its own' })
  const container = changedContainer(endpoint.config.container, changes.container)
  const merged = endpointConfig.parse({
    ...present({ ...endpoint.config, ...other, ...given }),
    ...(changes.container === undefined ? {} : { container }),
  })
  const config = withFaults(merged, { ...endpoint.config.faults, ...changes.faults })
  const problem = programProblem(config)
  if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'handler', why: problem })
  refuseServers(config)
  if (config.workersMin > config.workersMax)
    throw new AppError('BAD_FIELD', { field: 'workersMin', why: 'must not be above workersMax' })
  const replace =
    SEEN_AT_START.some((name) => JSON.stringify(config[name]) !== JSON.stringify(endpoint.config[name])) ||
    sharedServer(config) !== sharedServer(endpoint.config)
  return { ...endpoint, config, revision: endpoint.revision + (replace ? 1 : 0) }
}

export function changeServers(deps: Deps, { id }: Endpoint, wanted: ServerChange): Promise<Endpoint> {
  return change(deps, id, 'updated', (endpoint) => {
    const workflows = withServerChange(endpoint.config.workflows ?? workflowWorker.parse({}), wanted)
    if (workflows === undefined)
      throw new AppError('BAD_FIELD', {
        field: 'address',
        why: `${id} has no ComfyUI server ${serverText(wanted.address)}`,
      })
    if (workflows.server === undefined)
      throw new AppError('BAD_FIELD', {
        field: 'address',
        why: `${serverText(wanted.address)} is the only ComfyUI server of ${id}; add another one first`,
      })
    return withChanges(deps.storage, endpoint, { workflows })
  })
}

export function setPaused(deps: Deps, { id }: Endpoint, paused: boolean): Promise<Endpoint> {
  return change(deps, id, paused ? 'paused' : 'resumed', (endpoint) => {
    const backingId = kindOf(endpoint).backingId(endpoint)
    if (backingId !== undefined)
      throw new AppError('NOT_DONE', {
        why: `a published graph has no workers of its own; pause ${backingId} instead`,
      })
    return { ...endpoint, paused }
  })
}

export async function rotateEndpointKey(deps: Deps, { id }: Endpoint): Promise<EndpointAndKey> {
  const key = deps.newId.key()
  const keyHash = deps.newId.hash(key)
  return { endpoint: await change(deps, id, 'updated', (endpoint) => ({ ...endpoint, keyHash })), key }
}

export async function deleteEndpoint(deps: Deps, { id }: Endpoint): Promise<void> {
  const { storage, clock } = deps
  const reason = 'its endpoint was deleted'
  await purgeQueue(deps, id, reason)
  // A week of ended jobs is deleted in slices, so that the last write only has the newest.
  await writeInSlices(
    deps,
    (limit) => storage.jobs.list({ endpointId: id, states: JOB_STATES.filter(isFinal), limit }),
    ({ seq }) => {
      storage.jobs.remove(seq)
      return true
    },
  )
  await storage.write(() => {
    const open = [
      ...storage.jobs.inProgress().filter((job) => job.endpointId === id),
      ...storage.jobs.waiting(id, storage.jobs.newestSeq(), Number.MAX_SAFE_INTEGER),
    ]
    for (const job of open) storage.jobs.move(job.seq, 'cancel', { reason }, momentOf(clock))
    storage.nodeTypes.remove(id)
    storage.endpoints.remove(id, clock.now())
  })
}

// Removing a setting that processes do not have must not turn them into containers.
function changedContainer(before: EndpointConfig['container'], changes: EndpointChanges['container']) {
  if (changes === null) return undefined
  const values = Object.values(changes ?? {})
  const onlyRemoves = values.length > 0 && values.every((value) => value === null)
  return before === undefined && onlyRemoves ? undefined : present({ ...before, ...changes })
}

function withFaults({ faults: _before, ...config }: EndpointConfig, faults: EndpointConfig['faults']): EndpointConfig {
  const on = activeFaults(faults)
  return on === undefined ? config : { ...config, faults: on }
}

// Starts from the current row: a slow request must not undo a pause.
function change(
  { storage, clock }: Deps,
  id: string,
  event: 'updated' | 'paused' | 'resumed',
  make: (current: Endpoint) => Endpoint,
): Promise<Endpoint> {
  return storage.write(() => {
    const current = storage.endpoints.read(id)
    if (current === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
    const changed = { ...make(current), updatedAt: clock.now() }
    storage.endpoints.save(changed, event, changed.updatedAt)
    return changed
  })
}

function refuseTaken(
  storage: Storage,
  field: 'id' | 'name',
  value: string | undefined,
  self: string | undefined,
): void {
  if (value === undefined) return
  const taken = storage.endpoints
    .all()
    .some((other) => other.id !== self && (field === 'id' ? other.id : other.config.name) === value)
  if (taken) throw new AppError('ENDPOINT_EXISTS', { field, value })
}

/** The only setting of workflows that workers get; with several servers, each worker has its own. */
const sharedServer = ({ workflows }: EndpointConfig) => (hasSeveralServers(workflows) ? 'several' : workflows?.server)

function refuseServers({ workflows, exclusiveGroup }: EndpointConfig): void {
  if (exclusiveGroup !== undefined && workflows?.server === undefined)
    throw new AppError('BAD_FIELD', { field: 'exclusiveGroup', why: 'requires a ComfyUI server (workflows.server)' })
  const why = serversProblem(workflows)
  if (why !== undefined) throw new AppError('BAD_FIELD', { field: 'workflows.moreServers', why })
}

function refuseTakenPort(storage: Storage, port: unknown, self: string | undefined): void {
  if (typeof port !== 'number') return
  const other = storage.endpoints.all().find(({ id, config }) => id !== self && config.comfyuiPort === port)
  if (other !== undefined)
    throw new AppError('BAD_FIELD', { field: 'comfyuiPort', why: `${port} is the port of the endpoint ${other.id}` })
}
