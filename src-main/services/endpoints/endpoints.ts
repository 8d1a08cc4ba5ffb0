/** Endpoints: made, changed, paused, deleted, and their keys. */
import {
  type EndpointConfig,
  type EndpointUpdate,
  endpointConfig,
  programProblem,
  RESERVED_IDS,
} from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { JOB_STATES } from '../../contract/job.ts'
import { SEEN_AT_START } from '../../domain/app/plan.ts'
import { endpointIdFrom } from '../../domain/ids.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import { activeFaults } from '../../domain/worker/faults.ts'
import { kindOf } from '../endpoint-kinds.ts'
import type { ProjectFolders } from '../ports/projects.ts'
import type { Endpoint, Storage } from '../ports/storage.ts'
import type { Clock, NewId } from '../ports/system.ts'
import { purgeQueue } from '../queue/change-many-jobs.ts'
import { momentOf } from '../steady-clock.ts'
import { writeInSlices } from '../write-slices.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

/** What an endpoint that a person describes needs beside that: a look at the files that it names. */
export type NewEndpointDeps = Deps & { readonly projects: { readonly folders: Pick<ProjectFolders, 'isFile'> } }

/** An endpoint with the key that is shown this once. */
export type EndpointAndKey = { readonly endpoint: Endpoint; readonly key: string }

/**
 * Makes an endpoint.
 * @throws AppError ENDPOINT_EXISTS when the id or the name is taken, BAD_FIELD when its handler file is not there
 */
export async function createEndpoint(
  { storage, clock, newId, projects }: NewEndpointDeps,
  config: EndpointConfig,
  wantedId: string | undefined,
): Promise<EndpointAndKey> {
  await requireHandlerFile(projects, config.handler)
  const key = newId.key()
  const endpoint = await storage.write(() => {
    const made = newEndpoint({ storage, newId }, { config, wantedId, key, now: clock.now() })
    storage.endpoints.save(made, 'created', made.createdAt)
    return made
  })
  return { endpoint, key }
}

// The one rule for whoever describes an endpoint: pages, command line, programs. A file that goes later is the worker's
// matter, which says so.
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

const isAbsolutePath = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path)

/**
 * A new endpoint, to be saved in the same write. @param key it is stored as its hash alone
 * @throws AppError ENDPOINT_EXISTS when the id or the name is taken, BAD_FIELD when the id is reserved
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
 * Changes of an endpoint by a program that knows its whole program: null takes away also what a person can only
 * replace, and `platform` is what the platform's clients asked for.
 */
export type EndpointChanges = Omit<EndpointUpdate, 'handler' | 'command' | 'loadBalanced'> & {
  readonly [Name in 'handler' | 'command' | 'loadBalanced' | 'platform']?: EndpointConfig[Name] | null
}

/**
 * Changes settings of an endpoint. Workers are replaced where the change can be seen by new ones only.
 * @throws AppError ENDPOINT_EXISTS when the new name is taken, BAD_FIELD when the settings do not fit together or
 *   the handler file is not there, ENDPOINT_NOT_FOUND when it was deleted meanwhile
 */
export async function updateEndpoint(
  deps: NewEndpointDeps,
  { id }: Endpoint,
  changes: EndpointChanges,
): Promise<Endpoint> {
  await requireHandlerFile(deps.projects, changes.handler ?? undefined)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const other =
    changes.handler !== undefined ? { command: null } : changes.command !== undefined ? { handler: null } : {}
  const changed = await change(deps, id, 'updated', (endpoint) => {
    refuseTaken(deps.storage, 'name', changes.name, id)
    const setting = Object.keys(given).find((name) => name !== 'name')
    if (kindOf(endpoint).backingId(endpoint) !== undefined && setting !== undefined)
      throw new AppError('BAD_FIELD', { field: setting, why: 'a published graph has no workers of its own' })
    const container =
      changes.container === null ? undefined : withoutNulls({ ...endpoint.config.container, ...changes.container })
    const merged = endpointConfig.parse({
      ...withoutNulls({ ...endpoint.config, ...other, ...given }),
      ...(changes.container === undefined ? {} : { container }),
    })
    const config = withFaults(merged, { ...endpoint.config.faults, ...changes.faults })
    const problem = programProblem(config)
    if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'handler', why: problem })
    if (config.workersMin > config.workersMax)
      throw new AppError('BAD_FIELD', { field: 'workersMin', why: 'must not be above workersMax' })
    // Of workflows a worker gets only the address of the server; the rest is for the service.
    const replace =
      SEEN_AT_START.some((name) => JSON.stringify(config[name]) !== JSON.stringify(endpoint.config[name])) ||
      config.workflows?.server !== endpoint.config.workflows?.server
    return { ...endpoint, config, revision: endpoint.revision + (replace ? 1 : 0) }
  })
  if (changes.faults !== undefined) deps.storage.poke() // a job that was held back may go now
  return changed
}

/**
 * Pauses or resumes the hand-out of jobs.
 * @throws AppError ENDPOINT_NOT_FOUND when it was deleted meanwhile, NOT_DONE of a published graph
 */
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

/**
 * Gives an endpoint a new key; the old one is void at once.
 * @throws AppError ENDPOINT_NOT_FOUND when it was deleted meanwhile
 */
export async function rotateEndpointKey(deps: Deps, { id }: Endpoint): Promise<EndpointAndKey> {
  const key = deps.newId.key()
  const keyHash = deps.newId.hash(key)
  return { endpoint: await change(deps, id, 'updated', (endpoint) => ({ ...endpoint, keyHash })), key }
}

/** Cancels the jobs that have not ended and deletes the endpoint with all that belongs to it. */
export async function deleteEndpoint(deps: Deps, { id }: Endpoint): Promise<void> {
  const { storage, clock } = deps
  const reason = 'its endpoint was deleted'
  await purgeQueue(deps, id, reason)
  // Those that have ended may be as many as a week brings: what is left for the last write are the few of this moment.
  await writeInSlices(
    deps,
    (limit) => storage.jobs.list({ endpointId: id, states: JOB_STATES.filter(isFinal), limit }),
    ({ seq }) => {
      storage.jobs.remove(seq)
      return true
    },
  )
  await storage.write(() => {
    // Those that run, and those that came since the purge.
    const open = [
      ...storage.jobs.inProgress().filter((job) => job.endpointId === id),
      ...storage.jobs.waiting(id, storage.jobs.newestSeq(), Number.MAX_SAFE_INTEGER),
    ]
    for (const job of open) storage.jobs.move(job.seq, 'cancel', { reason }, momentOf(clock))
    storage.nodeTypes.remove(id)
    storage.endpoints.remove(id, clock.now())
  })
}

const withoutNulls = (settings: object) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))

// What is off is not stored, so that one look tells whether there is anything to do.
function withFaults({ faults: _before, ...config }: EndpointConfig, faults: EndpointConfig['faults']): EndpointConfig {
  const on = activeFaults(faults)
  return on === undefined ? config : { ...config, faults: on }
}

// Begins from the row as it is, not as it was when the request came: a body that arrives slowly must not undo a pause.
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

// What another write of the same transaction takes is refused by the table; each write then runs again alone and ends
// here.
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
