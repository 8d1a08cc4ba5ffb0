/**
 * Keeps the classes of nodes of endpoints those of the servers behind them. They are read when an endpoint gets its server,
 * and once a minute as long as that did not answer. Whether they have changed is looked at when somebody asks for them or
 * runs a graph, and no more often than every 10 s: a server that was started again with other nodes, or has other models,
 * has a list of another length, which it tells without sending it. A change that keeps the length is seen when they are
 * read by hand. Source: ours; ComfyUI tells neither when it was started nor which version its list is.
 */
import { AppError } from '../../contract/errors.ts'
import type { WorkflowPorts } from '../ports/workflows.ts'
import type { Clock, Endpoint, Log, Storage } from '../ports.ts'
import { isOfServer } from './is-of-server.ts'
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
  /** Reads those that no server has told yet. */
  readonly readMissing: () => void
  /** Reads those of an endpoint again if its server has others now. */
  readonly renew: (endpoint: Endpoint | undefined) => Promise<void>
  /** Waits for what is under way. */
  readonly stop: () => Promise<void>
}

const LOOK_EVERY_MS = 10_000

/** Makes it. */
export function createClassesWatch(deps: Deps): ClassesWatch {
  const { storage, clock, log, nodeTypes, sizeOfNodeTypes, stopping } = deps
  const looks = new Map<string, { readonly at: number; readonly done: Promise<void> }>()
  const reads = new Set<Promise<void>>()
  let isStarted = false

  const isMissing = ({ id, config }: Endpoint) =>
    config.workflows?.server !== undefined && !isOfServer(storage.nodeTypes.origin(id), config.workflows.server)

  async function read(endpoint: Endpoint, isFirst: boolean): Promise<void> {
    try {
      await nodeTypes.fetch(endpoint)
      log.info('classes of nodes read', { endpointId: endpoint.id })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (isFirst && !stopping.aborted) log.warn('classes of nodes not read', { endpointId: endpoint.id, error })
    }
  }

  function later(work: Promise<void>): void {
    const kept = work
      .catch((error) => log.error('classes of nodes not looked at', { error }))
      .finally(() => void reads.delete(kept))
    reads.add(kept)
  }

  async function look(endpoint: Endpoint, server: string): Promise<void> {
    const size = await sizeOfNodeTypes(server, stopping)
    if (size === undefined) return
    const known = storage.nodeTypes.get(endpoint.id)
    const isSame = isOfServer(known, server) && known.source === 'server' && Buffer.byteLength(known.text) === size
    // What somebody gave in a file is theirs.
    if (!isSame && known?.source !== 'file') await read(endpoint, false)
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      storage.onCommit((changes) => {
        for (const change of changes) {
          if (change.type !== 'endpoint') continue
          if (change.event === 'deleted') looks.delete(change.endpointId)
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
      const last = looks.get(endpoint.id)
      if (last !== undefined && now - last.at < LOOK_EVERY_MS) return last.done
      const done = look(endpoint, server).catch((error) => log.error('classes of nodes not looked at', { error }))
      looks.set(endpoint.id, { at: now, done })
      return done
    },
    async stop() {
      await Promise.all([...reads, ...[...looks.values()].map(({ done }) => done)])
    },
  }
}
