/**
 * Keeps the classes of nodes of endpoints equal to those of their backing servers. They are read when an endpoint gets
 * its server, and once a minute as long as that did not answer. Whether they have changed is looked at when somebody
 * asks for them or runs a graph, and no more often than every 10 s: a server that was started again with other nodes,
 * or has other models, has a list of another length, which it reports without sending it. A change that keeps the
 * length, like a model with a name as long, is seen by reading all of it: when the server was away at the last look,
 * and 5 minutes after the last reading, for which nobody waits. Source: ours; ComfyUI tells neither when it was started
 * nor which version its list is.
 */
import { AppError } from '../../contract/errors.ts'
import { isOfServer } from '../endpoints/views.ts'
import type { Endpoint, Storage } from '../ports/storage.ts'
import type { Clock, Log } from '../ports/system.ts'
import type { WorkflowPorts } from '../ports/workflows.ts'
import type { NodeTypeRegistry } from './node-types.ts'

type Deps = {
  readonly storage: Storage
  readonly clock: Pick<Clock, 'steady'>
  readonly log: Log
  readonly nodeTypes: Pick<NodeTypeRegistry, 'fetch'>
  readonly sizeOfNodeTypes: WorkflowPorts['sizeOfNodeTypes']
  readonly stopping: AbortSignal
}

/** The watch. Nothing of it rejects. */
export type ClassesWatch = {
  /** Listens to endpoints from now on. */
  readonly start: () => void
  /** Reads those that no server has reported yet. */
  readonly readMissing: () => void
  /** Reads those of an endpoint again if its server has others now. */
  readonly renew: (endpoint: Endpoint | undefined) => Promise<void>
  /** Waits for what is under way. */
  readonly stop: () => Promise<void>
}

const POLL_EVERY_MS = 10_000
// Megabytes over the wire, as the server makes its list for each look anyway.
const COMPARE_EVERY_MS = 300_000

/** Makes the watch over the classes of servers; it reads nothing until it is started. */
export function createClassesWatch(deps: Deps): ClassesWatch {
  const { storage, clock, log, nodeTypes, sizeOfNodeTypes, stopping } = deps
  const checks = new Map<string, { readonly at: number; readonly done: Promise<void> }>()
  const reads = new Set<Promise<void>>()
  // When a list was read in whole, and whose server did not answer since.
  const readAt = new Map<string, number>()
  const away = new Set<string>()
  let isStarted = false

  const isMissing = ({ id, config }: Endpoint) =>
    config.workflows?.server !== undefined && !isOfServer(storage.nodeTypes.origin(id), config.workflows.server)

  async function read(endpoint: Endpoint, isFirst: boolean): Promise<void> {
    try {
      readAt.set(endpoint.id, clock.steady())
      await nodeTypes.fetch(endpoint)
      away.delete(endpoint.id)
      log.info('classes of nodes read', { endpointId: endpoint.id })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (isFirst && !stopping.aborted) log.warn('classes of nodes not read', { endpointId: endpoint.id, error })
    }
  }

  function later(work: Promise<void>): void {
    const current = work
      .catch((error) => log.error('node classes not checked', { error }))
      .finally(() => void reads.delete(current))
    reads.add(current)
  }

  async function check(endpoint: Endpoint, server: string): Promise<void> {
    const { id } = endpoint
    const known = storage.nodeTypes.get(id)
    // What somebody gave in a file is theirs.
    if (known?.source === 'file') return
    const size = await sizeOfNodeTypes(server, stopping)
    if (size === undefined) away.add(id)
    else if (away.has(id) || !isOfServer(known, server) || Buffer.byteLength(known.text) !== size)
      return read(endpoint, false)
    // Also where no length is given, as by a proxy that compresses its responses.
    if (clock.steady() - (readAt.get(id) ?? Number.NEGATIVE_INFINITY) >= COMPARE_EVERY_MS) later(read(endpoint, false))
  }

  function forget(endpointId: string): void {
    checks.delete(endpointId)
    readAt.delete(endpointId)
    away.delete(endpointId)
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      storage.onDurable((changes) => {
        for (const change of changes) {
          if (change.type !== 'endpoint') continue
          if (change.event === 'deleted') forget(change.endpointId)
          if (change.event !== 'created' && change.event !== 'updated') continue
          const endpoint = storage.endpoints.get(change.endpointId)
          if (endpoint !== undefined && isMissing(endpoint) && !stopping.aborted) later(read(endpoint, true))
        }
      })
    },
    readMissing() {
      for (const endpoint of storage.endpoints.all().filter(isMissing)) later(read(endpoint, false))
    },
    async renew(endpoint) {
      const server = endpoint?.config.workflows?.server
      if (endpoint === undefined || server === undefined || stopping.aborted) return
      const now = clock.steady()
      const last = checks.get(endpoint.id)
      if (last !== undefined && now - last.at < POLL_EVERY_MS) return last.done
      const done = check(endpoint, server).catch((error) => log.error('node classes not checked', { error }))
      checks.set(endpoint.id, { at: now, done })
      return done
    },
    async stop() {
      await Promise.all([...reads, ...[...checks.values()].map(({ done }) => done)])
    },
  }
}
