/** How much of the cards each worker uses. */
import type { GpuHold } from './gpu-allocation.ts'
import type { GpuCard } from './gpu-list.ts'

/** A process that uses a card. `memoryBytes` undefined: the driver does not tell, as under Windows. */
export type GpuProcess = {
  readonly gpuId: string
  readonly pid: number
  readonly memoryBytes: number | undefined
}

/** What a worker uses of its cards; a field is missing where nobody can tell. */
export type GpuUse = { readonly gpuPercent?: number; readonly gpuMemoryBytes?: number }

/** Asks nvidia-smi for the processes on the cards, in the form that readGpuProcesses reads. */
export const GPU_PROCESSES_ARGUMENTS = [
  '--query-compute-apps=gpu_uuid,pid,used_memory',
  '--format=csv,noheader,nounits',
] as const

const ROW = /^(GPU-[^,\s]+),\s*(\d+),\s*(\d+)?/
const MIB = 1024 ** 2

/** Reads the answer to GPU_PROCESSES_ARGUMENTS; lines that are no row are left out. */
export function readGpuProcesses(stdout: string): readonly GpuProcess[] {
  return stdout.split('\n').flatMap((line) => {
    const [, gpuId, pid, mebibytes] = ROW.exec(line.trim()) ?? []
    if (gpuId === undefined) return []
    return [{ gpuId, pid: Number(pid), memoryBytes: mebibytes === undefined ? undefined : Number(mebibytes) * MIB }]
  })
}

/**
 * What each worker uses. The driver tells memory by process and load by card only: memory is that of the processes of the
 * worker, and where they cannot be told, that of the cards it has for itself; load is the mean of the cards it has for
 * itself, and missing for a card that is shared.
 * @param facts.pidsOf - processes of each worker, as this machine numbers them; empty where it does not see them
 */
export function gpuUseByWorker(facts: {
  readonly cards: readonly GpuCard[]
  readonly held: readonly GpuHold[]
  readonly processes: readonly GpuProcess[]
  readonly pidsOf: (workerId: string) => readonly number[]
}): ReadonlyMap<string, GpuUse> {
  const uses = new Map<string, GpuUse>()
  for (const workerId of new Set(facts.held.map((hold) => hold.workerId))) {
    const ids = facts.held.filter((hold) => hold.workerId === workerId).map(({ gpuId }) => gpuId)
    const alone = facts.held.filter(({ gpuId }) => ids.includes(gpuId)).every((hold) => hold.workerId === workerId)
    const own = alone ? facts.cards.filter(({ id }) => ids.includes(id)) : []
    const gpuPercent = mean(own.map(({ usePercent }) => usePercent))
    const gpuMemoryBytes =
      memoryOfProcesses(facts.processes, facts.pidsOf(workerId)) ?? sum(own.map(({ usedBytes }) => usedBytes))
    uses.set(workerId, {
      ...(gpuPercent === undefined ? {} : { gpuPercent }),
      ...(gpuMemoryBytes === undefined ? {} : { gpuMemoryBytes }),
    })
  }
  return uses
}

/** Undefined where none of the processes is known to use a card, or the driver does not tell how much. */
function memoryOfProcesses(processes: readonly GpuProcess[], pids: readonly number[]): number | undefined {
  return sum(processes.filter(({ pid }) => pids.includes(pid)).map(({ memoryBytes }) => memoryBytes))
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const told = values.filter((value) => value !== undefined)
  return told.length === 0 || told.length < values.length ? undefined : told.reduce((total, value) => total + value, 0)
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const total = sum(values)
  return total === undefined ? undefined : Math.round(total / values.length)
}
