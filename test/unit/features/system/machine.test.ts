import { expect, test } from 'vitest'
import { readMachine } from '../../../../src-main/features/system/machine.ts'
import type { ContainerHost } from '../../../../src-main/runtimes/port.ts'
import { card } from '../../../support/recorded-gpus.ts'

test('tells who holds each card, and nothing of the engine that is for nobody else', async () => {
  const asked: boolean[] = []
  const containerHost: Partial<ContainerHost> = {
    engine: async () => ({
      state: 'connected',
      version: '28.3.2',
      source: 'a usual place',
      info: { ID: 'x' },
      platform: 'x',
    }),
    gpus: async (fresh) => {
      asked.push(fresh)
      return {
        inventory: {
          cards: [card(0, 'NVIDIA L40S', 45), card(1, 'NVIDIA L40S', undefined)],
          fault: 'one card fell off',
        },
        holds: [{ gpuId: 'GPU-0', workerId: 'w1', endpointId: 'sdxl', shared: true }],
      }
    },
  }
  const deps = {
    fleet: { containerHost: containerHost as ContainerHost },
    registry: { all: () => [] },
    settings: { get: () => ({ maxWorkers: 4 }) as never },
  }
  const usual = { name: 'NVIDIA L40S', driver: '550.90.07', usedBytes: 0 }
  expect(await readMachine(deps, false)).toEqual({
    engine: { state: 'connected', version: '28.3.2', source: 'a usual place' },
    gpus: [
      {
        ...usual,
        id: 'GPU-0',
        index: 0,
        memoryBytes: 45 * 1024 ** 3,
        heldBy: [{ workerId: 'w1', endpointId: 'sdxl', shared: true }],
      },
      { ...usual, id: 'GPU-1', index: 1, heldBy: [] },
    ],
    gpuFault: 'one card fell off',
    workers: { used: 0, limit: 4 },
  })
  expect(asked).toEqual([false])
})
