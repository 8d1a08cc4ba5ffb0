import { expect, test } from 'vitest'
import { readGpuProcesses } from '../../../src-main/features/workers/rules/usage.ts'
import { readGpuList } from '../../../src-main/runtimes/rules/gpu-list.ts'

const list = (stdout: string, failure?: 'failed', stderr = '') => readGpuList({ stdout, stderr, failure })

test.each([
  ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 'the NVIDIA driver is not loaded'],
  ['Field "compute_cap" is not a valid field to query.', 'the NVIDIA driver is too old to be queried'],
  ['Failed to initialize NVML: Insufficient Permissions', 'this user may not use the NVIDIA GPUs'],
  ['Failed to initialize NVML: Unknown Error', 'nvidia-smi failed: Failed to initialize NVML: Unknown Error'],
])('%s', (said, fault) => {
  expect(list(said, 'failed')).toMatchObject({ cards: [], fault, fix: expect.stringMatching(/\.$/) })
  expect(list('', 'failed', said).fault).toBe(fault)
})

test('a failure without a word, and an empty answer, are told too', () => {
  expect(list('', 'failed').fault).toBe('nvidia-smi failed')
  expect(list('\n').fault).toBe('there is no NVIDIA GPU: its driver finds none')
})

test('a card that has an error instead of its id is left out and named, the others stay', () => {
  const lost = '1, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], 565.57, 8.9, [N/A]'
  const good = '0, GPU-1, NVIDIA L40S, 46068, 1, 0, 565.57, 8.9, [N/A], 00000000:17:00.0'
  expect(list(`${good}\n${lost}, 00000000:65:00.0\n`)).toMatchObject({
    cards: [{ id: 'GPU-1' }],
    fault: 'the GPU at 00000000:65:00.0 does not answer any more',
  })
  expect(list(`${lost}, [GPU is lost]`)).toMatchObject({ cards: [], fault: expect.stringContaining('place 1') })
})

test('a comma in a name does not shift the fields', () => {
  const [card] = list('0, GPU-1, NVIDIA X, Y, 1024, 1, 0, 565.57, 8.9, Disabled, 00000000:17:00.0').cards
  expect(card).toMatchObject({ name: 'NVIDIA X, Y', memoryBytes: 1024 ** 3, bus: '00000000:17:00.0' })
})

test('lines that are no process are left out', () => {
  expect(readGpuProcesses('No running processes found\nGPU-1, x, 2\n\nGPU-1, 7, 2\n')).toEqual([
    { gpuId: 'GPU-1', pid: 7, memoryBytes: 2 * 1024 ** 2 },
  ])
})
