import type { WorkerPool } from '../../../contract/endpoint.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import type { Endpoint, Job, Storage } from '../../../storage/storage.ts'
import type { WorkerRegistry } from '../../workers/registry/worker-registry.ts'
import type { WorkflowServers } from '../../workers/registry/workflow-servers.ts'
import { chooseJobs } from '../../workers/rules/choose-job.ts'

// Jobs looked at for each claim; later ones wait until they are among these.
const WINDOW = 200

type Taker = { readonly workerId: string; readonly max: number; readonly except: readonly number[] }

export function claimByServer<Entry extends Taker>(
  {
    storage,
    clock,
    registry,
    servers,
  }: {
    readonly storage: Pick<Storage, 'jobs' | 'runs'>
    readonly clock: Clock
    readonly registry: Pick<WorkerRegistry, 'get'>
    readonly servers: WorkflowServers
  },
  endpoint: Endpoint,
  { pool, takers, pokeIn }: { pool: WorkerPool; takers: readonly Entry[]; pokeIn: (ms: number) => void },
): ReadonlyMap<Entry, readonly Job[]> {
  const claimed = new Map<Entry, Job[]>()
  const all = servers.of(endpoint)
  const serverOf = ({ workerId }: Taker) => all.find(({ address }) => address === registry.get(workerId)?.server)
  const except = new Set(takers.flatMap((taker) => taker.except))
  for (;;) {
    const open = new Map(
      takers
        .filter((taker) => (claimed.get(taker)?.length ?? 0) < taker.max)
        .flatMap((taker) => {
          const server = serverOf(taker)
          return server === undefined ? [] : [[server.number, taker] as const]
        }),
    )
    if (open.size === 0) return claimed
    const waiting = storage.jobs.inOrder(endpoint.id, pool, WINDOW).filter(({ seq }) => !except.has(seq))
    const needs = storage.runs.needs(waiting.map(({ id }) => id))
    const graphs = waiting.map((job) => ({ ...job, isPlaced: storage.jobs.isPlaced(job), needs: needs.get(job.id) }))
    const now = clock.steady()
    const { choices, againAt } = chooseJobs(graphs, { servers: servers.of(endpoint), free: new Set(open.keys()), now })
    for (const { seq, number } of choices) {
      const taker = open.get(number)
      const server = all.find((one) => one.number === number)
      const job = taker && storage.jobs.move(seq, 'claim', { workerId: taker.workerId }, momentOf(clock))
      if (taker === undefined || server === undefined || job === undefined) continue
      claimed.set(taker, [...(claimed.get(taker) ?? []), job])
      servers.take(server.address, needs.get(job.id))
    }
    if (againAt !== undefined) pokeIn(againAt - now)
    if (choices.length === 0) return claimed
  }
}
