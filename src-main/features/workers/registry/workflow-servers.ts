import type { EndpointConfig } from '../../../contract/endpoint.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createEmitter } from '../../../lib/emitter.ts'
import { hasSeveralServers, serversOf, serverText } from '../../workflows/rules/server-address.ts'
import { type GraphNeeds, hasWorker, type ServerFacts, withGraph } from '../rules/choose-job.ts'
import { isLive } from '../rules/transitions.ts'
import type { WorkerRegistry } from './worker-registry.ts'

// Pause after the second loss without a graph in between, doubled by each further one, ms. Source: ours.
const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 60_000
// Graphs that a server was lost with; each has few tries.
const LOST_KEPT = 100

type Known = Pick<ServerFacts, 'awayBecause' | 'has' | 'loaded' | 'busy' | 'lostWith'> & {
  /** Ms since the epoch; undefined: it answers. */
  readonly awaySince: number | undefined
  /** In a row, without a graph that ended on it. */
  readonly losses: number
  readonly hasGraph: boolean
  /** Steady ms. */
  readonly pausedUntil: number
}

const UNREAD: Known = {
  ...{ awayBecause: undefined, awaySince: undefined, has: undefined, loaded: [], busy: undefined },
  ...{ lostWith: new Set(), losses: 0, hasGraph: false, pausedUntil: Number.NEGATIVE_INFINITY },
}

export type NamedServer = ServerFacts & Pick<Known, 'awaySince' | 'pausedUntil'> & { readonly address: string }

type ServedEndpoint = { readonly id: string; readonly config: Pick<EndpointConfig, 'workflows'> }

export type WorkflowServers = ReturnType<typeof createWorkflowServers>

export function createWorkflowServers(deps: {
  readonly clock: Pick<Clock, 'steady' | 'now'>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly leases: { readonly ofWorker: (workerId: string) => readonly unknown[] }
}) {
  const { clock, registry, leases } = deps
  const known = new Map<string, Known>()
  const changes = createEmitter<[address: string]>()
  const losses = createEmitter<[address: string]>()
  const change = (address: string, to: Partial<Known>) =>
    void known.set(address, { ...(known.get(address) ?? UNREAD), ...to })

  return {
    /** In the order of the settings; empty for an endpoint that does not have several. */
    of({ id, config: { workflows } }: ServedEndpoint): readonly NamedServer[] {
      if (!hasSeveralServers(workflows)) return []
      const busy = registry.ofEndpoint(id).filter((worker) => leases.ofWorker(worker.id).length > 0)
      return serversOf(workflows).map((address, at) => {
        const facts = known.get(address) ?? UNREAD
        return {
          ...facts,
          ...{ address, number: at + 1, name: serverText(address) },
          isDrained: workflows?.drainedServers?.includes(address) === true,
          busy: busy.some(({ server }) => server === address) ? facts.busy : undefined,
        }
      })
    },
    /** The server that a new worker of the endpoint gets; undefined: its workers have none of their own. */
    withoutWorker(endpoint: ServedEndpoint): string | undefined {
      const workers = registry.ofEndpoint(endpoint.id).filter(({ state, duty }) => isLive(state) && duty !== 'retired')
      const free = this.of(endpoint).filter(({ address }) => workers.every(({ server }) => server !== address))
      return (free.find(hasWorker) ?? free[0])?.address
    },
    onChange: changes.on,
    onLoss: losses.on,
    noteAnswer(address: string, has: NonNullable<Known['has']>) {
      change(address, { has, awayBecause: undefined, awaySince: undefined })
      changes.emit(address)
    },
    noteAway(address: string, awayBecause: string) {
      change(address, { awayBecause, awaySince: known.get(address)?.awaySince ?? clock.now(), loaded: [] })
      changes.emit(address)
    },
    /** A lost server may have been restarted, so it must be read before it gets graphs again. */
    lose(address: string, why: string, jobs: readonly number[]) {
      const { losses: before, lostWith } = known.get(address) ?? UNREAD
      const pauseMs = before === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (before - 1), LONGEST_PAUSE_MS)
      change(address, {
        ...{ losses: before + 1, hasGraph: false, pausedUntil: clock.steady() + pauseMs },
        lostWith: new Set([...lostWith, ...jobs].slice(-LOST_KEPT)),
      })
      this.noteAway(address, why)
      losses.emit(address)
    },
    noteLoaded(address: string, models: readonly string[]) {
      if ((known.get(address) ?? UNREAD).loaded.length === 0) change(address, { loaded: models })
    },
    forgetLoaded(address: string) {
      change(address, { loaded: [] })
    },
    take(address: string, needs: GraphNeeds | undefined) {
      const before = known.get(address) ?? UNREAD
      const losses = before.hasGraph ? 0 : before.losses
      known.set(address, { ...withGraph(before, needs?.models ?? [], clock.steady()), losses, hasGraph: true })
    },
  }
}
