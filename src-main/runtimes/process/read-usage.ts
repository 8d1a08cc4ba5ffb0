import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { WorkerUsage } from '../../contract/endpoint.ts'
import {
  type GpuProcess,
  type GroupSample,
  memoryOfProcesses,
  type ProcessTimes,
  readProcStat,
  readPsLines,
  readResidentBytes,
  usageSince,
} from '../../features/workers/rules/usage.ts'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/wait.ts'
import { readProcesses } from './process-tree.ts'

type Worker = { readonly workerId: string; readonly pid: number }
type Seen = ProcessTimes & { readonly memoryBytes: number }

// CPU share needs an interval: without a sample this recent, two are taken this far apart. ms
const SAMPLE_AGE_MS = 10_000
const SAMPLE_SPAN_MS = 250

const execute = promisify(execFile)

type Sample = GroupSample & { readonly pids: readonly number[] }

export function createProcessUsageReader(
  clock: Clock,
  gpuProcesses: () => Promise<readonly GpuProcess[]>,
): (workers: readonly Worker[]) => Promise<ReadonlyMap<string, WorkerUsage>> {
  let before = new Map<string, Sample>()

  async function sample(workers: readonly Worker[]): Promise<Map<string, Sample>> {
    const groups = new Set(workers.map(({ pid }) => pid))
    const seen = process.platform === 'linux' ? await readProcesses((pid) => fromProc(pid, groups)) : await fromPs()
    const byGroup = Map.groupBy(seen, ({ group }) => group)
    const at = clock.steady()
    return new Map(
      workers.flatMap(({ workerId, pid }) => {
        const own = byGroup.get(pid)
        return own === undefined ? [] : [[workerId, { at, ...sumOf(own) }] as const]
      }),
    )
  }

  return async (workers) => {
    if (workers.length === 0) return new Map()
    const isFresh = ({ workerId }: Worker) => clock.steady() - (before.get(workerId)?.at ?? 0) <= SAMPLE_AGE_MS
    if (!workers.some((worker) => before.has(worker.workerId) && isFresh(worker))) {
      before = await sample(workers)
      await pause(clock, SAMPLE_SPAN_MS)
    }
    const [now, onCards] = await Promise.all([sample(workers), gpuProcesses()])
    const usage = new Map(
      [...now].map(([workerId, one]) => {
        const gpuMemoryBytes = memoryOfProcesses(onCards, one.pids)
        const ofCards = gpuMemoryBytes === undefined ? {} : { gpuMemoryBytes }
        return [workerId, { ...usageSince(before.get(workerId), one), ...ofCards }]
      }),
    )
    before = now
    return usage
  }
}

function sumOf(processes: readonly Seen[]): Pick<Sample, 'cpuMs' | 'memoryBytes' | 'pids'> {
  return {
    cpuMs: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryBytes: processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    pids: processes.map(({ pid }) => pid),
  }
}

async function fromProc(pid: string, groups: ReadonlySet<number>): Promise<Seen | undefined> {
  try {
    const times = readProcStat(await readFile(`/proc/${pid}/stat`, 'latin1'))
    if (times === undefined || !groups.has(times.group)) return undefined
    return { ...times, memoryBytes: readResidentBytes(await readFile(`/proc/${pid}/status`, 'latin1')) }
  } catch {
    return undefined
  }
}

async function fromPs(): Promise<readonly Seen[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,pgid=,rss=,time='], { encoding: 'latin1' })
  return readPsLines(stdout)
}
