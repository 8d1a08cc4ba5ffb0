import type { WorkerUsage } from '../../contract/endpoint.ts'
import { containerUsage, gpuUseByWorker } from '../../features/workers/rules/usage.ts'
import type { Log } from '../../lib/clock.ts'
import type { ContainerWorker } from './container-worker.ts'
import type { GpuAllocator } from './gpu-allocator.ts'
import type { GpuReader } from './gpu-inventory.ts'

/** Reads usage from engine and nvidia-smi in about a second, the engine's CPU interval; ended workers are left out. */
export async function readUsage(deps: {
  readonly workers: readonly ContainerWorker[]
  readonly gpus: GpuAllocator
  readonly gpuReader: GpuReader
  readonly log: Log
}): Promise<ReadonlyMap<string, WorkerUsage>> {
  const { workers, gpus, gpuReader, log } = deps
  const held = gpus.holds().filter((hold) => workers.some(({ facts }) => facts.workerId === hold.workerId))
  const [own, cards] = await Promise.all([
    Promise.all(workers.map(ofContainer)),
    held.length === 0 ? new Map() : ofCards(workers, gpus, gpuReader, log),
  ])
  return new Map(
    own.flatMap((usage, at): [string, WorkerUsage][] => {
      const workerId = workers[at]?.facts.workerId
      return usage === undefined || workerId === undefined ? [] : [[workerId, { ...usage, ...cards.get(workerId) }]]
    }),
  )
}

async function ofContainer({ container }: ContainerWorker): Promise<WorkerUsage | undefined> {
  try {
    return containerUsage(await container.stats({ stream: false }))
  } catch {
    return undefined
  }
}

async function ofCards(workers: readonly ContainerWorker[], gpus: GpuAllocator, gpuReader: GpuReader, log: Log) {
  const [processes] = await Promise.all([
    gpuReader.processes(),
    gpus.refresh().catch((error) => log.warn('GPUs not read', { error })),
  ])
  const pids = new Map<string, readonly number[]>()
  await Promise.all(
    workers.map(async ({ facts, container }) => {
      const top = await container.top({ ps_args: '-eo pid' }).catch(() => undefined)
      pids.set(
        facts.workerId,
        (top?.Processes ?? []).map(([pid]: string[]) => Number(pid)),
      )
    }),
  )
  const pidsOf = (workerId: string) => pids.get(workerId) ?? []
  return gpuUseByWorker({ cards: gpus.cards(), held: gpus.holds(), processes, pidsOf })
}
