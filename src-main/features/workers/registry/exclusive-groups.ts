/**
 * Endpoints whose ComfyUI servers share the memory of one card take jobs in turns, as rules/exclusive-group.ts decides.
 * Kept in memory: after a start, each may have models loaded.
 */
import { WORKER_POOLS } from '../../../contract/endpoint.ts'
import type { Clock, Log } from '../../../lib/clock.ts'
import type { Change, Endpoint, Storage } from '../../../storage/storage.ts'
import { isSameServer, serversOf, serverText } from '../../workflows/rules/server-address.ts'
import type { FreeMemory } from '../ports.ts'
import { type GroupMember, type Turn, turnOf, whyTurnWaits } from '../rules/exclusive-group.ts'
import { takesJobs } from '../rules/transitions.ts'
import type { WaitingReason } from '../rules/waiting-reason.ts'
import type { WorkerRegistry } from './worker-registry.ts'
import type { WorkflowServers } from './workflow-servers.ts'

const ASK_AGAIN_MS = 5000
const PRIORITIES = [0, 1] as const

export type ExclusiveGroups = ReturnType<typeof createExclusiveGroups>

export function createExclusiveGroups({
  storage,
  clock,
  log,
  counts,
  registry,
  servers,
  freeMemory,
  stopping,
}: {
  readonly storage: Pick<Storage, 'endpoints' | 'jobs' | 'poke' | 'onCommit'>
  readonly clock: Clock
  readonly log: Log
  readonly counts: { readonly of: (endpointId: string) => { readonly inProgress: number } }
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly servers: Pick<WorkflowServers, 'forgetLoaded'>
  readonly freeMemory: FreeMemory
  readonly stopping: AbortSignal
}) {
  const freed = new Set<string>()
  const freeing = new Map<string, { readonly problem: string | undefined; readonly isAsked: boolean }>()
  const lastOf = new Map<string, string>()

  storage.onCommit((changes) => {
    for (const change of changes) {
      if (change.type !== 'endpoint') continue
      freed.delete(change.endpointId)
      freeing.delete(change.endpointId)
    }
  })

  function memberOf(endpoint: Endpoint, own: Endpoint, running: (endpointId: string) => number): GroupMember {
    const { id, config, paused } = endpoint
    const isOwn = id === own.id
    const takes = !paused && registry.ofEndpoint(id).some(takesJobs)
    const queued = WORKER_POOLS.flatMap((pool) =>
      PRIORITIES.flatMap((priority) => (takes ? (storage.jobs.oldestWaiting(id, pool, priority) ?? []) : [])),
    )
    const ownServers = serversOf(own.config.workflows)
    const isElsewhere = serversOf(config.workflows).some((one) => !ownServers.some((other) => isSameServer(one, other)))
    return {
      id,
      running: running(id),
      waitsSince: queued.length === 0 ? undefined : Math.min(...queued.map(({ queuedAt }) => queuedAt)),
      isLoaded: !isOwn && isElsewhere && !freed.has(id),
      isLast: lastOf.get(groupOf(endpoint) ?? '') === id,
    }
  }

  function turn(endpoint: Endpoint, running: (endpointId: string) => number): Turn {
    const group = groupOf(endpoint)
    const others = group === undefined ? [] : storage.endpoints.all().filter((other) => groupOf(other) === group)
    return turnOf(
      memberOf(endpoint, endpoint, running),
      others.filter(({ id }) => id !== endpoint.id).map((other) => memberOf(other, endpoint, running)),
    )
  }

  function free(endpointId: string): void {
    const before = freeing.get(endpointId)
    if (before?.isAsked === true) return
    const asked = { problem: before?.problem, isAsked: true }
    freeing.set(endpointId, asked)
    const addresses = serversOf(storage.endpoints.get(endpointId)?.config.workflows)
    Promise.all(addresses.map(async (address) => ({ address, why: await freeMemory(address, stopping) })))
      .then((answers) => {
        if (freeing.get(endpointId) !== asked || stopping.aborted) return
        for (const { address, why } of answers) if (why === undefined) servers.forgetLoaded(address)
        const failed = answers.find(({ why }) => why !== undefined)
        if (failed === undefined) {
          freeing.delete(endpointId)
          freed.add(endpointId)
          storage.poke()
          return
        }
        const problem = `${serverText(failed.address)} ${failed.why}`
        log.warn('models of a ComfyUI server not unloaded', { endpointId, problem })
        const again = { problem, isAsked: true }
        freeing.set(endpointId, again)
        clock.after(ASK_AGAIN_MS, () => {
          if (freeing.get(endpointId) !== again || stopping.aborted) return
          freeing.set(endpointId, { problem, isAsked: false })
          storage.poke()
        })
      })
      .catch((error) => log.error('models of ComfyUI servers not unloaded', { endpointId, error }))
  }

  return {
    mayTake(endpoint: Endpoint, changes: readonly Change[], taken: ReadonlySet<string>): boolean {
      if (groupOf(endpoint) === undefined) return true
      const current = turn(endpoint, (id) => (taken.has(id) ? 1 : 0) + counts.of(id).inProgress + started(changes, id))
      if (current.kind === 'loaded') for (const { id } of current.others) free(id)
      return current.kind === 'own'
    },
    took(endpoint: Endpoint): void {
      const group = groupOf(endpoint)
      if (group === undefined) return
      lastOf.set(group, endpoint.id)
      freed.delete(endpoint.id)
      freeing.delete(endpoint.id)
    },
    whyWaits(endpoint: Endpoint): WaitingReason | undefined {
      const group = groupOf(endpoint)
      if (group === undefined || !registry.ofEndpoint(endpoint.id).some(takesJobs)) return undefined
      const current = turn(endpoint, (id) => counts.of(id).inProgress)
      const problems = current.kind === 'loaded' ? current.others.map(({ id }) => freeing.get(id)?.problem) : []
      return whyTurnWaits(
        current,
        group,
        problems.find((problem) => problem !== undefined),
      )
    },
  }
}

const groupOf = ({ config }: Pick<Endpoint, 'config'>): string | undefined => config.exclusiveGroup

function started(changes: readonly Change[], endpointId: string): number {
  let sum = 0
  for (const change of changes) {
    if (change.type !== 'job' || change.endpointId !== endpointId) continue
    sum += Number(change.to === 'IN_PROGRESS') - Number(change.from === 'IN_PROGRESS')
  }
  return sum
}
