import { expect, test } from 'vitest'
import { gpuUseByWorker } from '../../../src-main/features/workers/rules/usage.ts'
import { card } from '../../support/recorded-gpus.ts'

const MIB = 1024 ** 2

const cards = [
  card(0, 'NVIDIA L40S', 45, { usePercent: 80, usedBytes: 500 * MIB }),
  card(1, 'NVIDIA L40S', 45, { usePercent: 41, usedBytes: 300 * MIB }),
]

const hold = (index: number, workerId: string, shared = false) => ({
  gpuId: `GPU-${index}`,
  workerId,
  endpointId: 'hello',
  shared,
})

const use = (facts: Partial<Parameters<typeof gpuUseByWorker>[0]>) =>
  Object.fromEntries(gpuUseByWorker({ cards, held: [], processes: [], pidsOf: () => [], ...facts }))

test('a worker has the memory of its processes and the mean load of its cards', () => {
  const processes = [
    { gpuId: 'GPU-0', pid: 7, memoryBytes: 100 * MIB },
    { gpuId: 'GPU-1', pid: 8, memoryBytes: 20 * MIB },
    { gpuId: 'GPU-1', pid: 9, memoryBytes: 5 * MIB },
  ]
  expect(use({ held: [hold(0, 'w1'), hold(1, 'w1')], processes, pidsOf: () => [7, 8] })).toEqual({
    w1: { gpuPercent: 61, gpuMemoryBytes: 120 * MIB },
  })
})

test('where processes cannot be told, the memory is that of the cards it has for itself', () => {
  const processes = [{ gpuId: 'GPU-0', pid: 7, memoryBytes: undefined }]
  expect(use({ held: [hold(0, 'w1')], processes, pidsOf: () => [7] })).toEqual({
    w1: { gpuPercent: 80, gpuMemoryBytes: 500 * MIB },
  })
})

test('workers on one card have their own memory, and no load of their own', () => {
  const processes = [{ gpuId: 'GPU-0', pid: 7, memoryBytes: 100 * MIB }]
  const held = [hold(0, 'w1', true), hold(0, 'w2', true)]
  expect(use({ held, processes, pidsOf: (id) => (id === 'w1' ? [7] : [8]) })).toEqual({
    w1: { gpuMemoryBytes: 100 * MIB },
    w2: {},
  })
})
