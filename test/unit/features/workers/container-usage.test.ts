import { expect, test } from 'vitest'
import { containerUsage } from '../../../../src-main/features/workers/rules/usage.ts'

const cpu = (total: number, system: number) => ({
  cpu_usage: { total_usage: total },
  system_cpu_usage: system,
  online_cpus: 4,
})

test('CPU is a share of one CPU, so two busy ones of four are 200 percent', () => {
  expect(containerUsage({ cpu_stats: cpu(3000, 14_000), precpu_stats: cpu(1000, 10_000) }).cpuPercent).toBe(200)
})

test('without a reading before there is no CPU to tell', () => {
  expect(containerUsage({ cpu_stats: cpu(3000, 14_000), precpu_stats: { cpu_usage: { total_usage: 0 } } })).toEqual({})
})

for (const [group, name] of [
  ['1', 'total_inactive_file'],
  ['2', 'inactive_file'],
] as const) {
  test(`memory leaves out what the kernel only keeps of files, as cgroup ${group} names it`, () => {
    expect(containerUsage({ memory_stats: { usage: 900, limit: 2000, stats: { [name]: 200 } } })).toEqual({
      memoryBytes: 700,
      memoryLimitBytes: 2000,
    })
  })
}

test('the bytes of all networks count together', () => {
  const networks = { eth0: { rx_bytes: 10, tx_bytes: 1 }, eth1: { rx_bytes: 5, tx_bytes: 2 } }
  expect(containerUsage({ networks })).toEqual({ networkReceivedBytes: 15, networkSentBytes: 3 })
})

test('a value that the engine does not report is missing', () => {
  expect(containerUsage({})).toEqual({})
})
