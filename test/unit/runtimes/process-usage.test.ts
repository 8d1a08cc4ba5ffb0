import { expect, test } from 'vitest'
import {
  readProcStat,
  readPsLines,
  readResidentBytes,
  usageSince,
} from '../../../src-main/features/workers/rules/usage.ts'

const STAT = (name: string) =>
  `4242 (${name}) S 1 4240 4239 0 -1 4194560 9 0 0 0 150 25 7 8 20 0 4 0 88 12 99 18446744073709551615`

test.each(['python3', 'a (b) c', ') 1 2 3'])('group and processor time are read after the name %s', (name) => {
  expect(readProcStat(STAT(name))).toEqual({ pid: 4242, group: 4240, cpuMs: 1750 })
})

test.each(['', 'nonsense', '1 (x) S 1'])('a text that is not a line of a process is not read: %j', (text) => {
  expect(readProcStat(text)).toBeUndefined()
})

test('resident memory is read, and a process that ends has none', () => {
  expect(readResidentBytes('Name:\tpython3\nVmPeak:\t  99 kB\nVmRSS:\t   2048 kB\nThreads:\t4\n')).toBe(2 * 1024 * 1024)
  expect(readResidentBytes('Name:\tpython3\nState:\tZ (zombie)\n')).toBe(0)
})

test('lines of ps are read, whatever the form of their times', () => {
  const lines = [' 7   501   2048   0:01.23', '18 502 1024 12:34', '9 503 0 1-02:03:04', '']
  expect(readPsLines(lines.join('\n'))).toEqual([
    { pid: 7, group: 501, memoryBytes: 2048 * 1024, cpuMs: 1230 },
    { pid: 18, group: 502, memoryBytes: 1024 * 1024, cpuMs: 754_000 },
    { pid: 9, group: 503, memoryBytes: 0, cpuMs: 93_784_000 },
  ])
})

test('the share of a CPU is of the time since the sample before', () => {
  const before = { at: 1000, cpuMs: 500, memoryBytes: 1 }
  const sample = (cpuMs: number) => ({ at: 3000, cpuMs, memoryBytes: 7 })
  expect(usageSince(before, sample(1510))).toEqual({ cpuPercent: 50.5, memoryBytes: 7 })
  expect(usageSince(before, sample(8500))).toEqual({ cpuPercent: 400, memoryBytes: 7 })
  // A child that had used much has ended.
  expect(usageSince(before, sample(100))).toEqual({ cpuPercent: 0, memoryBytes: 7 })
  expect(usageSince(undefined, sample(100))).toEqual({ memoryBytes: 7 })
  expect(usageSince({ ...before, at: 3000 }, sample(100))).toEqual({ memoryBytes: 7 })
})
