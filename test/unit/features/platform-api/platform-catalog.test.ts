import { expect, test } from 'vitest'
import { cpuSpec, dataCenters, gpuTypes } from '../../../../src-main/features/platform-api/rules/catalog.ts'
import { GIB } from '../../../../src-main/lib/units.ts'

const card = (id: string, name: string, memoryGb: number, mig = false) => ({
  ...{ id, index: 0, name, memoryBytes: memoryGb * GIB, usedBytes: 0, usePercent: 0, driver: '580.1' },
  ...{ computeCapability: '8.9', mig, bus: '' },
})
const hold = (gpuId: string) => ({ gpuId, workerId: 'w', endpointId: 'e', shared: false })

const CARDS = [card('a', 'NVIDIA GeForce RTX 4090', 24), card('b', 'NVIDIA GeForce RTX 4090', 24)]

test('cards of one name are one kind, in the pool of their model', () => {
  const machine = { cards: [...CARDS, card('c', 'NVIDIA H200', 141), card('d', 'Some Card', 50)], holds: [] }
  expect(gpuTypes(machine, { stock: false, count: 1 })).toMatchObject([
    { id: 'NVIDIA GeForce RTX 4090', pool: 'ADA_24', memory: 24, maxCount: { secure: 2, community: 0 } },
    { id: 'NVIDIA H200', pool: 'HOPPER_141', memory: 141 },
    { id: 'Some Card', pool: 'AMPERE_48', memory: 50 },
  ])
})

test.each([
  ['nothing is held', [], 1, 'HIGH'],
  ['half is held', ['a'], 1, 'MEDIUM'],
  ['all are held', ['a', 'b'], 1, 'NONE'],
  ['more are asked for than are free', ['a'], 2, 'NONE'],
])('what is free is told: %s', (_name, held, count, availability) => {
  const [type] = gpuTypes({ cards: CARDS, holds: held.map(hold) }, { stock: true, count })
  expect(type).toMatchObject({
    availability,
    dataCenters: expect.arrayContaining([expect.objectContaining({ availability })]),
  })
})

test('a GPU split into slices is not listed', () => {
  expect(gpuTypes({ cards: [card('a', 'NVIDIA H100', 80, true)], holds: [] }, { stock: false, count: 1 })).toEqual([])
})

test('each data center has the cards of this machine', () => {
  const [here] = dataCenters({ cards: CARDS, holds: [] }, { gpu: true, cpu: false })
  expect(here?.gpuAvailability).toEqual([
    { id: 'NVIDIA GeForce RTX 4090', name: 'NVIDIA GeForce RTX 4090', availability: 'HIGH' },
  ])
  expect(here?.cpuAvailability).toBeUndefined()
})

test('a CPU machine is that of its family', () => {
  expect(cpuSpec({ id: 'cpu3c', vcpuCount: 4 })).toBe('cpu3c-4-8')
  expect(cpuSpec({ id: 'constructor', vcpuCount: 4 })).toBeUndefined()
})
