import { type EndpointConfig, endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { endpointIdFrom } from '../../domain/endpoint-id.ts'
import type { Clock, Endpoint, NewId, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

/** An endpoint with the key that is shown this once. */
export type EndpointAndKey = { readonly endpoint: Endpoint; readonly key: string }

// A change of these is seen by a new worker only; the others count at once.
const NEEDS_NEW_WORKERS: readonly (keyof EndpointConfig)[] = [
  'handler',
  'command',
  'cwd',
  'env',
  'concurrency',
  'callsOthers',
]

/**
 * Makes an endpoint.
 * @throws AppError ENDPOINT_EXISTS when the id or the name is taken
 */
export async function createEndpoint(
  deps: Deps,
  config: EndpointConfig,
  wantedId: string | undefined,
): Promise<EndpointAndKey> {
  const { storage, clock, newId } = deps
  refuseTaken(storage, 'id', wantedId, undefined)
  refuseTaken(storage, 'name', config.name, undefined)
  const id =
    wantedId ?? endpointIdFrom(config.name, (candidate) => storage.endpoints.get(candidate) !== undefined, newId.worker)
  const key = newId.key()
  const now = clock.now()
  const endpoint = { id, config, paused: false, keyHash: newId.hash(key), revision: 1, createdAt: now, updatedAt: now }
  return { endpoint: await save(deps, endpoint, 'created'), key }
}

/**
 * Changes settings of an endpoint. Workers are replaced where the change can be seen by new ones only.
 * @throws AppError ENDPOINT_EXISTS when the new name is taken, BAD_FIELD when the settings do not fit together
 */
export function updateEndpoint(
  deps: Deps,
  endpoint: Endpoint,
  changes: { readonly [Key in keyof EndpointConfig]?: EndpointConfig[Key] | undefined },
): Promise<Endpoint> {
  refuseTaken(deps.storage, 'name', changes.name, endpoint.id)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const other =
    changes.handler !== undefined ? { command: undefined } : changes.command !== undefined ? { handler: undefined } : {}
  const config = endpointConfig.parse({ ...endpoint.config, ...other, ...given })
  if (config.workersMin > config.workersMax)
    throw new AppError('BAD_FIELD', { field: 'workersMin', why: 'must not be above workersMax' })
  const replace = NEEDS_NEW_WORKERS.some(
    (name) => JSON.stringify(config[name]) !== JSON.stringify(endpoint.config[name]),
  )
  return save(deps, { ...endpoint, config, revision: endpoint.revision + (replace ? 1 : 0) }, 'updated')
}

/** Pauses or resumes the hand-out of jobs. */
export function setPaused(deps: Deps, endpoint: Endpoint, paused: boolean): Promise<Endpoint> {
  return save(deps, { ...endpoint, paused }, paused ? 'paused' : 'resumed')
}

/** Gives an endpoint a new key; the old one is void at once. */
export async function rotateEndpointKey(deps: Deps, endpoint: Endpoint): Promise<EndpointAndKey> {
  const key = deps.newId.key()
  return { endpoint: await save(deps, { ...endpoint, keyHash: deps.newId.hash(key) }, 'updated'), key }
}

/** Cancels the jobs that have not ended and deletes the endpoint with all that belongs to it. */
export async function deleteEndpoint({ storage, clock }: Deps, endpoint: Endpoint): Promise<void> {
  await storage.write(() => {
    const running = storage.jobs.inProgress().filter((job) => job.endpointId === endpoint.id)
    for (const job of running)
      storage.jobs.move(job.seq, 'cancel', { reason: 'its endpoint was deleted' }, momentOf(clock))
    storage.endpoints.remove(endpoint.id, clock.now())
  })
}

async function save(
  { storage, clock }: Deps,
  endpoint: Endpoint,
  event: 'created' | 'updated' | 'paused' | 'resumed',
): Promise<Endpoint> {
  const saved = { ...endpoint, updatedAt: clock.now() }
  await storage.write(() => storage.endpoints.save(saved, event, saved.updatedAt))
  return saved
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
