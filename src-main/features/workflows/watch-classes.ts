/**
 * Keeps node classes equal to the backing server's. Missing ones are read every minute; on use, at most every 10 s, a
 * changed length, an outage or 5 minutes' age triggers a full read. Source: ours; ComfyUI reports neither start time
 * nor version. Nobody waits long for a server that hangs.
 */
import { AppError } from '../../contract/errors.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { waitAtMost } from '../../lib/wait.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { isOfServer } from '../endpoints/views.ts'
import type { NodeTypeRegistry } from './node-types.ts'
import type { WorkflowPorts } from './ports.ts'
import { hasSeveralServers } from './rules/server-address.ts'
import { UnusableClasses } from './rules/unusable-classes.ts'
import type { UnusableServers } from './unusable-servers.ts'

const POLL_EVERY_MS = 10_000
// Costs megabytes, as the server builds its list each time anyway.
const COMPARE_EVERY_MS = 300_000
// A server sends its list within some seconds; a page that waits longer looks broken.
const WAIT_MS = 3000

export function createClassesWatch(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly nodeTypes: Pick<NodeTypeRegistry, 'fetch'>
  readonly unusable: UnusableServers
  readonly sizeOfNodeTypes: WorkflowPorts['sizeOfNodeTypes']
  readonly stopping: AbortSignal
}) {
  const { storage, clock, log, nodeTypes, unusable, sizeOfNodeTypes, stopping } = deps
  const checks = new Map<string, { readonly at: number; readonly done: Promise<void> }>()
  const reads = new Set<Promise<void>>()
  // Last full read, and servers that have not answered since.
  const readAt = new Map<string, number>()
  const away = new Set<string>()
  let isStarted = false

  // Those of several servers are read when one of them begins to answer.
  const isMissing = ({ id, config: { workflows } }: Endpoint) =>
    workflows?.server !== undefined &&
    !hasSeveralServers(workflows) &&
    !isOfServer(storage.nodeTypes.origin(id), workflows.server)

  const isPaused = ({ config }: Endpoint) => unusable.isPaused(config.workflows?.server ?? '')

  async function read(endpoint: Endpoint, isFirst: boolean): Promise<void> {
    const { server = '' } = endpoint.config.workflows ?? {}
    try {
      readAt.set(endpoint.id, clock.steady())
      await nodeTypes.fetch(endpoint)
      away.delete(endpoint.id)
      unusable.forget(server)
      log.info('classes of nodes read', { endpointId: endpoint.id })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.cause instanceof UnusableClasses) unusable.note(server)
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
    if (known?.source === 'file' || hasSeveralServers(endpoint.config.workflows)) return
    const size = await sizeOfNodeTypes(server, stopping)
    if (size === undefined) {
      away.add(id)
      unusable.forget(server)
    } else if (isPaused(endpoint)) return
    else if (away.has(id) || !isOfServer(known, server) || Buffer.byteLength(known.text) !== size)
      return read(endpoint, false)
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
      for (const endpoint of storage.endpoints.all().filter((one) => isMissing(one) && !isPaused(one)))
        later(read(endpoint, false))
    },
    async renew(endpoint: Endpoint | undefined): Promise<void> {
      const server = endpoint?.config.workflows?.server
      if (endpoint === undefined || server === undefined || stopping.aborted) return
      const now = clock.steady()
      const last = checks.get(endpoint.id)
      const isRecent = last !== undefined && now - last.at < POLL_EVERY_MS
      const done = isRecent
        ? last.done
        : check(endpoint, server).catch((error) => log.error('node classes not checked', { error }))
      if (!isRecent) checks.set(endpoint.id, { at: now, done })
      const leftMs = (isRecent ? last.at : now) + WAIT_MS - now
      if (leftMs > 0) await waitAtMost(clock, { ms: leftMs, signal: stopping }, done)
    },
    async stop() {
      await Promise.all([...reads, ...[...checks.values()].map(({ done }) => done)])
    },
  }
}
