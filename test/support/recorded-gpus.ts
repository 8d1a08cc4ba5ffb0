import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Gpu, readGpuList } from '../../src-main/runtimes/rules/gpu-list.ts'

/** The program that plays recordings of nvidia-smi; RECORDED_GPUS in its environment names the machine. */
export const RECORDED_NVIDIA_SMI = join(import.meta.dirname, 'nvidia-smi')

/** The cards of a recorded machine. @param machine a folder of test/fixtures/nvidia-smi */
export function recordedCards(machine: string): readonly Gpu[] {
  const stdout = readFileSync(join(import.meta.dirname, '../fixtures/nvidia-smi', machine, 'gpus.csv'), 'utf8')
  return readGpuList({ stdout, stderr: '' }).cards
}

/** A card that never was. @param id number of the card, part of its id */
export function card(id: number, name: string, memoryGb: number | undefined, fields: Partial<Gpu> = {}): Gpu {
  return {
    id: `GPU-${id}`,
    index: id,
    name,
    memoryBytes: memoryGb === undefined ? undefined : memoryGb * 1024 ** 3,
    usedBytes: 0,
    usePercent: 0,
    driver: '550.90.07',
    computeCapability: '8.9',
    mig: false,
    bus: `00000000:0${id}:00.0`,
    ...fields,
  }
}
