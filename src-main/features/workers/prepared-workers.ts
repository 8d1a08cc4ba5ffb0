import type { Log, NewId } from '../../lib/clock.ts'
import type { Fleet, WorkerSpec } from '../../runtimes/port.ts'
import type { Endpoint } from '../../storage/storage.ts'

export type WorkerIdentity = { readonly workerId: string; readonly token: string }

type Prepared = WorkerIdentity & { readonly revision: number; readonly made: Promise<boolean> }

/**
 * GPUs are bound at creation, so GPU containers are not prepared; nor always-pulled images, which could be outdated.
 */
export function createPreparedWorkers(fleet: Pick<Fleet, 'prepare' | 'stop'>, newId: NewId, log: Log) {
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
    take(endpoint: Endpoint): WorkerIdentity {
      const waiting = pool.get(endpoint.id) ?? []
      const index = waiting.findIndex(({ revision }) => revision === endpoint.revision)
      const [taken] = index < 0 ? [] : waiting.splice(index, 1)
      return taken ?? { workerId: newId.worker(), token: newId.key() }
    },
    fill(endpoint: Endpoint, specOf: (worker: WorkerIdentity) => WorkerSpec) {
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
