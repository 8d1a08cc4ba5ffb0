import type { Fleet, WorkerSpec } from '../ports/fleet.ts'
import type { Endpoint } from '../ports/storage.ts'
import type { Log, NewId } from '../ports/system.ts'

/** Who a worker will be: its id and its token. */
export type WorkerIdentity = { readonly workerId: string; readonly token: string }

/** Workers that are made and do not run yet, so that the next start takes less time. */
export type PreparedWorkers = {
  /** The identity of the next worker: of a prepared one, if there is one with these settings. */
  readonly take: (endpoint: Endpoint) => WorkerIdentity
  /** Makes as many as the endpoint wants, in the background. */
  readonly fill: (endpoint: Endpoint, specOf: (worker: WorkerIdentity) => WorkerSpec) => void
  /** Throws them away, of one endpoint or of all. */
  readonly discard: (endpointId?: string) => Promise<void>
}

type Prepared = WorkerIdentity & { readonly revision: number; readonly made: Promise<boolean> }

/**
 * Makes the pool. Cards are given to a container when it is made, so with a GPU nothing is prepared; nor with an image
 * that is always pulled, of which a prepared container could be of an old one.
 */
export function createPreparedWorkers({
  fleet,
  newId,
  log,
}: {
  readonly fleet: Pick<Fleet, 'prepare' | 'stop'>
  readonly newId: NewId
  readonly log: Log
}): PreparedWorkers {
  const pool = new Map<string, Prepared[]>()
  let closed = false

  async function throwAway({ workerId, made }: Prepared): Promise<void> {
    if (await made) await fleet.stop(workerId, 0)
  }

  function make(endpoint: Endpoint, specOf: (worker: WorkerIdentity) => WorkerSpec): Prepared {
    const worker = { workerId: newId.worker(), token: newId.key() }
    const made = fleet.prepare(specOf(worker)).then(
      () => true,
      (error) => {
        log.warn('worker not prepared', { endpointId: endpoint.id, error })
        return false
      },
    )
    return { ...worker, revision: endpoint.revision, made }
  }

  async function discard(endpointId?: string): Promise<void> {
    if (endpointId === undefined) closed = true
    const gone = endpointId === undefined ? [...pool.values()].flat() : (pool.get(endpointId) ?? [])
    if (endpointId === undefined) pool.clear()
    else pool.delete(endpointId)
    await Promise.all(gone.map(throwAway))
  }

  return {
    take(endpoint) {
      const waiting = pool.get(endpoint.id) ?? []
      const index = waiting.findIndex(({ revision }) => revision === endpoint.revision)
      const [taken] = index < 0 ? [] : waiting.splice(index, 1)
      return taken ?? { workerId: newId.worker(), token: newId.key() }
    },
    fill(endpoint, specOf) {
      const { container } = endpoint.config
      if (closed || container === undefined || container.gpu !== undefined || container.pull === 'always') return
      const waiting = pool.get(endpoint.id) ?? []
      const current = waiting.filter(({ revision }) => revision === endpoint.revision)
      for (const old of waiting.filter((other) => !current.includes(other))) {
        throwAway(old).catch((error) => log.warn('prepared worker not thrown away', { error }))
      }
      while (current.length < container.prepared) current.push(make(endpoint, specOf))
      pool.set(endpoint.id, current)
    },
    discard,
  }
}
