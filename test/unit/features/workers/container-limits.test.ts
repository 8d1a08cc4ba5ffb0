import { describe, expect, it } from 'vitest'
import { containerLimits } from '../../../../src-main/features/workers/rules/container-limits.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const ENGINE = { cpus: 8, memoryBytes: 16 * GIB }

describe('the limits of a container', () => {
  it('without settings are all CPUs and four fifths of the memory', () => {
    expect(containerLimits({}, ENGINE)).toEqual({
      cpus: 8,
      memoryBytes: Math.floor(0.8 * 16 * GIB),
      shmBytes: 64 * MIB,
      diskBytes: undefined,
      processes: 512,
    })
  })

  it('with a graphics card have room for data loaders', () => {
    expect(containerLimits({ gpu: 'ANY' }, ENGINE)).toMatchObject({ shmBytes: GIB, processes: 4096 })
  })

  it.each([
    ['cpu3c-2-4', 2, 4 * GIB],
    ['cpu5g-8-16', 8, 16 * GIB],
    ['cpu3c-32-64', 8, 16 * GIB], // more than the engine has
  ])('of the spec %s are its CPUs and memory, as far as the engine has them', (cpu, cpus, memoryBytes) => {
    expect(containerLimits({ cpu }, ENGINE)).toMatchObject({ cpus, memoryBytes })
  })

  it.each([
    ['below', 2 * GIB, 2 * GIB],
    ['above', 6 * GIB, 6 * GIB],
    ['above what the engine has', 17 * GIB, 16 * GIB],
  ])('take the memory that was set, %s that of the spec', (_name, memoryBytes, wanted) => {
    expect(containerLimits({ cpu: 'cpu3c-2-4', memoryBytes }, ENGINE).memoryBytes).toBe(wanted)
  })

  it('take the sizes of disk and /dev/shm that were set', () => {
    const limits = containerLimits({ shmBytes: 5, diskBytes: 7, gpu: 'ANY' }, ENGINE)
    expect(limits).toMatchObject({ shmBytes: 5, diskBytes: 7 })
  })

  it('take the memory as it was set where the engine does not tell what it has', () => {
    expect(containerLimits({ memoryBytes: GIB }, { cpus: 1, memoryBytes: 0 }).memoryBytes).toBe(GIB)
  })
})
