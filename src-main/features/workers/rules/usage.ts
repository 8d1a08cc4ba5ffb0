import type { WorkerUsage } from '../../../contract/endpoint.ts'
import { present } from '../../../lib/json/plain.ts'
import { KIB, MIB } from '../../../lib/units.ts'
import type { GpuHold } from '../../../runtimes/rules/gpu-allocation.ts'
import type { Gpu } from '../../../runtimes/rules/gpu-list.ts'

/** The fields read from the engine's statistics; kernels omit some. */
export type ContainerStats = {
  readonly cpu_stats?: CpuStats
  readonly precpu_stats?: CpuStats
  readonly memory_stats?: {
    readonly usage?: number
    readonly limit?: number
    readonly stats?: Readonly<Record<string, number>>
  }
  readonly networks?: Readonly<Record<string, { readonly rx_bytes: number; readonly tx_bytes: number }>>
}

type CpuStats = {
  readonly cpu_usage?: { readonly total_usage?: number }
  readonly system_cpu_usage?: number
  readonly online_cpus?: number
}

/**
 * CPU percent of one CPU since the last reading, memory without file cache, network bytes since start. Source: the
 * engine's own `stats`.
 */
export function containerUsage(stats: ContainerStats): WorkerUsage {
  const cpuPercent = cpu(stats)
  const memory = stats.memory_stats
  const files = memory?.stats?.total_inactive_file ?? memory?.stats?.inactive_file ?? 0
  const networks = stats.networks === undefined ? undefined : Object.values(stats.networks)
  return {
    ...(cpuPercent === undefined ? {} : { cpuPercent }),
    ...(memory?.usage === undefined ? {} : { memoryBytes: Math.max(0, memory.usage - files) }),
    ...(memory?.limit === undefined ? {} : { memoryLimitBytes: memory.limit }),
    ...(networks === undefined
      ? {}
      : {
          networkReceivedBytes: networks.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
          networkSentBytes: networks.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
        }),
  }
}

function cpu({ cpu_stats: now, precpu_stats: before }: ContainerStats): number | undefined {
  const used = difference(now?.cpu_usage?.total_usage, before?.cpu_usage?.total_usage)
  const passed = difference(now?.system_cpu_usage, before?.system_cpu_usage)
  if (used === undefined || passed === undefined || passed <= 0) return undefined
  return Math.max(0, Math.round((used / passed) * (now?.online_cpus ?? 1) * 1000) / 10)
}

const difference = (now: number | undefined, before: number | undefined) =>
  now === undefined || before === undefined ? undefined : now - before

export type ProcessTimes = {
  readonly pid: number
  /** A worker and its children share one process group. */
  readonly group: number
  readonly cpuMs: number
}

export type GroupSample = {
  /** Monotonic ms. */
  readonly at: number
  readonly cpuMs: number
  readonly memoryBytes: number
}

const MS_PER_TICK = 10
// Fields in /proc/PID/stat after the name, which is in brackets and may contain anything. Source: proc(5).
const GROUP = 2
const USER_TICKS = 11
const SYSTEM_TICKS = 12

export function readProcStat(text: string): ProcessTimes | undefined {
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [group, user, system] = [GROUP, USER_TICKS, SYSTEM_TICKS].map((at) => Number(fields[at] ?? Number.NaN))
  if (group === undefined || user === undefined || system === undefined) return undefined
  return Number.isNaN(pid + group + user + system) ? undefined : { pid, group, cpuMs: (user + system) * MS_PER_TICK }
}

/** Resident memory from /proc/PID/status; 0: missing, as for an ending process. */
export function readResidentBytes(text: string): number {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(text)?.[1] ?? 0) * KIB
}

/** Parses `ps -o pid=,pgid=,rss=,time=`, with times like `1-02:03:04`, `12:34` or `0:01.23`. */
export function readPsLines(text: string): readonly (ProcessTimes & { readonly memoryBytes: number })[] {
  return text.split('\n').flatMap((line) => {
    const [pid, group, kib, time] = line.trim().split(/\s+/)
    if (group === undefined || kib === undefined || time === undefined) return []
    return [{ pid: Number(pid), group: Number(group), memoryBytes: Number(kib) * KIB, cpuMs: psTimeMs(time) }]
  })
}

function psTimeMs(time: string): number {
  const [clock = '', days = '0'] = time.split('-').toReversed()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1000)
}

/** CPU in percent of one CPU, and memory. Shared pages count for each process, as in `ps`. */
export function usageSince(before: GroupSample | undefined, now: GroupSample): WorkerUsage {
  const { memoryBytes } = now
  const passed = before === undefined ? 0 : now.at - before.at
  if (before === undefined || passed <= 0) return { memoryBytes }
  // An exited child takes its CPU time with it, so the sum can fall.
  const used = Math.max(0, now.cpuMs - before.cpuMs)
  return { cpuPercent: Math.round((used / passed) * 1000) / 10, memoryBytes }
}

/** `memoryBytes` undefined: the driver does not report it, as on Windows. */
export type GpuProcess = {
  readonly gpuId: string
  readonly pid: number
  readonly memoryBytes: number | undefined
}

type GpuUse = { readonly gpuPercent?: number; readonly gpuMemoryBytes?: number }

export const GPU_PROCESSES_ARGUMENTS = [
  '--query-compute-apps=gpu_uuid,pid,used_memory',
  '--format=csv,noheader,nounits',
] as const

const ROW = /^(GPU-[^,\s]+),\s*(\d+),\s*(\d+)?/

export function readGpuProcesses(stdout: string): readonly GpuProcess[] {
  return stdout.split('\n').flatMap((line) => {
    const [, gpuId, pid, mebibytes] = ROW.exec(line.trim()) ?? []
    if (gpuId === undefined) return []
    return [{ gpuId, pid: Number(pid), memoryBytes: mebibytes === undefined ? undefined : Number(mebibytes) * MIB }]
  })
}

/**
 * Memory by process, or by exclusive GPUs if processes are unknown; load is their mean, undefined for shared GPUs.
 * @param facts.pidsOf local process ids; empty if invisible
 */
export function gpuUseByWorker(facts: {
  readonly cards: readonly Gpu[]
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
      ...present({ gpuPercent, gpuMemoryBytes }),
    })
  }
  return uses
}

/** Undefined: no known process uses a GPU, or memory is not reported. */
export function memoryOfProcesses(processes: readonly GpuProcess[], pids: readonly number[]): number | undefined {
  return sum(processes.filter(({ pid }) => pids.includes(pid)).map(({ memoryBytes }) => memoryBytes))
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const reported = values.filter((value) => value !== undefined)
  return reported.length === 0 || reported.length < values.length
    ? undefined
    : reported.reduce((total, value) => total + value, 0)
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const total = sum(values)
  return total === undefined ? undefined : Math.round(total / values.length)
}
