import type { WorkerUsage } from '../../contract/endpoint.ts'

/** The part of the engine's statistics that is read; engines leave out what their kernel does not count. */
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
 * What a container uses: share of one CPU in percent since the reading before, memory without what the kernel only
 * keeps of its files, bytes over the network since the start. Source: the engine's API, as its own `stats` counts.
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
