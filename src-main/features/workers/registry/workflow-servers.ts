import type { EndpointConfig } from '../../../contract/endpoint.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createEmitter } from '../../../lib/emitter.ts'
import { hasSeveralServers, serversOf, serverText } from '../../workflows/rules/server-address.ts'
import { type GraphNeeds, hasWorker, type ServerFacts, withGraph } from '../rules/choose-job.ts'
import { isLive } from '../rules/transitions.ts'
import type { WorkerRegistry } from './worker-registry.ts'

type Known = Pick<ServerFacts, 'awayBecause' | 'has' | 'loaded' | 'busy'> & {
  /** Ms since the epoch; undefined: it answers. */
  readonly awaySince: number | undefined
}

const UNREAD: Known = { awayBecause: undefined, awaySince: undefined, has: undefined, loaded: [], busy: undefined }

export type NamedServer = ServerFacts & Pick<Known, 'awaySince'> & { readonly address: string }

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
    lose(address: string, why: string) {
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
      known.set(address, withGraph(known.get(address) ?? UNREAD, needs?.models ?? [], clock.steady()))
    },
  }
}
