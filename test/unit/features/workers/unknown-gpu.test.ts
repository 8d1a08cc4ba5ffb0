import { expect, test } from 'vitest'
import { unknownGpuText } from '../../../../src-main/features/workers/rules/unknown-gpu.ts'

test.each([
  ['RTX 4O90', 'GPU type RTX 4O90 is unknown. Did you mean RTX 4090 or RTX 4000 or RTX 3090?'],
  ['ADA_25', 'GPU type ADA_25 is unknown. Did you mean ADA_24?'],
  ['H200,H101', 'GPU type H101 is unknown. Did you mean H100?'],
  ['XYZ', 'GPU type XYZ is unknown. Known types: ANY, AMPERE_16, AMPERE_24, ADA_24, ADA_32_PRO,'],
])('%s', (gpu, told) => {
  expect(unknownGpuText(gpu, [])?.startsWith(told.replace(/\?$/, ''))).toBe(true)
})

test('the warning about a name that resembles no type also lists the GPUs of this machine', () => {
  expect(unknownGpuText('XYZ', [{ name: 'Tesla T4' }, { name: 'Tesla T4' }])).toMatch(/BLACKWELL_180, Tesla T4\.$/)
})

test.each(['ANY', 'ada_24', 'RTX 4090', 'NVIDIA GeForce RTX 4090', '4090', 'AMPERE_48,-A40', 'ADA_24,L40S', 'T4'])(
  '%s is known, by its type or as a GPU of this machine',
  (gpu) => {
    expect(unknownGpuText(gpu, [{ name: 'Tesla T4' }])).toBeUndefined()
  },
)
