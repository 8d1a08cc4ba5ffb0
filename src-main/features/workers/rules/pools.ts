/** Main workers and batch workers of an endpoint. Source: docs/spec/batches.md, 6. */
import type { EndpointConfig, WorkerPool, WorkerState } from '../../../contract/endpoint.ts'
import { ANY_MACHINE } from '../../../contract/machines.ts'
import { counted } from '../../../lib/text.ts'
import { wantedMachine } from '../../../runtimes/rules/choose-machine.ts'
import { hasSeveralServers } from '../../workflows/rules/server-address.ts'
import { hasWorker, type ServerFacts } from './choose-job.ts'
import type { ScalingDecision } from './scaling-facts.ts'

export const workerOf = (pool: WorkerPool | undefined) => (pool === 'batch' ? 'batch worker' : 'worker')

type OfPool = { readonly pool?: WorkerPool | undefined }

export function workersText(workers: readonly OfPool[], { workersMax }: Pick<EndpointConfig, 'workersMax'>): string {
  const batch = workers.filter(({ pool }) => pool === 'batch').length
  const main = `${workers.length - batch} of ${counted(workersMax, 'worker')}`
  return batch === 0 ? main : `${main}, ${counted(batch, 'batch worker')}`
}

type PoolLimits = Pick<EndpointConfig, 'workersMin' | 'workersMax' | 'batchWorkersMax'> &
  Partial<Pick<EndpointConfig, 'workflows'>>

/**
 * The default of one keeps batches moving at the least cost; a closed endpoint has none, nor has one whose workers each
 * have a ComfyUI server.
 */
export function batchWorkersMax({ workersMax, batchWorkersMax = 1, workflows }: PoolLimits): number {
  return workersMax === 0 || hasSeveralServers(workflows) ? 0 : batchWorkersMax
}

/** With several ComfyUI servers, each one that answers has one worker, whatever the settings of workers are. */
export function withServers<Config extends PoolLimits>(config: Config, servers: readonly ServerFacts[]): Config {
  if (servers.length === 0 || config.workersMax === 0) return config
  const workers = servers.filter(hasWorker).length
  return { ...config, workersMin: workers, workersMax: workers }
}

export function settingsOfPool<Config extends PoolLimits>(config: Config, pool: WorkerPool): Config {
  return pool === 'main' ? config : { ...config, workersMin: 0, workersMax: batchWorkersMax(config) }
}

/**
 * Whether main workers run batch jobs, after all other jobs. `always`: the endpoint may have no batch workers;
 * `meanwhile`: none has a slot, so a few main workers stand in.
 */
export type Sharing = 'never' | 'meanwhile' | 'always'

export function sharingOf(config: PoolLimits, batch: ScalingDecision | undefined): Sharing {
  if (batchWorkersMax(config) === 0) return 'always'
  return batch !== undefined && batch.throttled > 0 && batch.throttled === batch.wanted ? 'meanwhile' : 'never'
}

type Waiting = { readonly normal: number; readonly lowPriority: number; readonly batch: number }

/** Batch jobs that main workers only run meanwhile start no worker, so they count as low priority. */
export function queueOfPool(
  { normal, lowPriority, batch }: Waiting,
  pool: WorkerPool,
  sharing: Sharing,
): Omit<Waiting, 'batch'> {
  if (pool === 'batch') return { normal: sharing === 'always' ? 0 : batch, lowPriority: 0 }
  if (sharing === 'always') return { normal: normal + batch, lowPriority }
  return { normal, lowPriority: sharing === 'meanwhile' ? lowPriority + batch : lowPriority }
}

type Place = Pick<EndpointConfig, 'container'>

export function mayFreeSlot({ container: held }: Place, { container: wanted }: Place): boolean {
  if (held === undefined || wanted === undefined) return held === wanted
  const [one, other] = [wantedMachine(held), wantedMachine(wanted)]
  if (one !== other && one !== ANY_MACHINE && other !== ANY_MACHINE) return false
  return wanted.gpu === undefined || held.gpu !== undefined
}

const GIVING_WAY: readonly WorkerState[] = ['paused', 'idle', 'unhealthy', 'initializing', 'running']

/** @param wanted number of slots, including those of workers that are already leaving */
export function toGiveWay<Worker extends { readonly state: WorkerState }>(
  holders: readonly Worker[],
  wanted: number,
): readonly Worker[] {
  const leaving = holders.filter(({ state }) => state === 'stopping').length
  return GIVING_WAY.flatMap((state) => holders.filter((worker) => worker.state === state)).slice(
    0,
    Math.max(0, wanted - leaving),
  )
}
