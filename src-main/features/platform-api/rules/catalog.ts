/**
 * The platform's catalog for one machine: its GPUs, possible CPU families, and all known data centers. Prices are 0.
 * Source: docs/spec/platform.md, 5; the public Python package for ids.
 */
import { GPU_GROUPS } from '../../../contract/container.ts'
import type { Availability, CpuType, DataCenter, GpuType } from '../../../contract/platform-catalog.ts'
import { GIB } from '../../../lib/units.ts'
import { type GpuHold, isNamed, meetsWant } from '../../../runtimes/rules/gpu-allocation.ts'
import type { Gpu } from '../../../runtimes/rules/gpu-list.ts'

export const THIS_MACHINE = 'LOCAL-1'

const PLACES: Readonly<Record<string, DataCenter['region']>> = {
  [THIS_MACHINE]: 'UNKNOWN',
  'US-CA-2': 'NORTH_AMERICA',
  'US-IL-1': 'NORTH_AMERICA',
  'US-KS-2': 'NORTH_AMERICA',
  'US-MO-1': 'NORTH_AMERICA',
  'US-MO-2': 'NORTH_AMERICA',
  'US-NC-2': 'NORTH_AMERICA',
  'US-NE-1': 'NORTH_AMERICA',
  'US-WA-1': 'NORTH_AMERICA',
  'EU-CZ-1': 'EUROPE',
  'EU-RO-1': 'EUROPE',
  'EUR-NO-1': 'EUROPE',
}

// Memory per vCPU in GB, and the minimum of vCPUs. Source: docs/spec/app-deploy.md, 2.
const CPU_FAMILIES: Readonly<Record<string, { readonly name: string; readonly group: string; readonly ram: number }>> =
  {
    cpu3c: { name: 'Compute-optimised', group: 'cpu3', ram: 2 },
    cpu3g: { name: 'General purpose', group: 'cpu3', ram: 4 },
    cpu5c: { name: 'Compute-optimised, fifth generation', group: 'cpu5', ram: 2 },
  }
const VCPU = { min: 1, max: 8 }

export type CatalogMachine = { readonly cards: readonly Gpu[]; readonly holds: readonly GpuHold[] }

type AskedCpu = { readonly id: string; readonly vcpuCount: number }

export function cpuSpec({ id, vcpuCount }: AskedCpu): string | undefined {
  const family = Object.hasOwn(CPU_FAMILIES, id) ? CPU_FAMILIES[id] : undefined
  return family && `${id}-${vcpuCount}-${vcpuCount * family.ram}`
}

export function cpuView(asked: AskedCpu): (AskedCpu & { readonly memory: number }) | undefined {
  const family = Object.hasOwn(CPU_FAMILIES, asked.id) ? CPU_FAMILIES[asked.id] : undefined
  return family && { ...asked, memory: asked.vcpuCount * family.ram }
}

export function gpuTypes(
  machine: CatalogMachine,
  { stock, count }: { readonly stock: boolean; readonly count: number },
): readonly GpuType[] {
  const names = [...new Set(usable(machine).map(({ name }) => name))].sort()
  return names.map((name) => {
    const own = usable(machine).filter((card) => card.name === name)
    const memoryBytes = own[0]?.memoryBytes ?? 0
    return {
      id: name,
      name,
      pool: own[0] === undefined ? null : poolOf(own[0]),
      manufacturer: 'NVIDIA',
      memory: Math.round(memoryBytes / GIB),
      secure: true,
      community: false,
      price: { secure: 0, community: 0, serverless: 0 },
      maxCount: { secure: own.length, community: 0 },
      ...(stock ? stockEverywhere(availabilityOf(own, machine.holds, count)) : {}),
    }
  })
}

// A GPU that is split into MIG slices is not used here.
const usable = ({ cards }: CatalogMachine) => cards.filter(({ mig }) => !mig)

/** By model, else the largest pool whose memory fits. */
function poolOf(card: Gpu): string | null {
  const groups = Object.keys(GPU_GROUPS) as (keyof typeof GPU_GROUPS)[]
  const ofModel = groups.find((group) => GPU_GROUPS[group].models.some((model) => isNamed(card, model)))
  if (ofModel !== undefined) return ofModel
  const [largest] = groups
    .filter((group) => meetsWant({ kind: 'group', group }, card))
    .toSorted((a, b) => GPU_GROUPS[b].memoryGb - GPU_GROUPS[a].memoryGb)
  return largest ?? null
}

function availabilityOf(cards: readonly Gpu[], holds: readonly GpuHold[], count: number): Availability {
  const free = cards.filter(({ id }) => holds.every(({ gpuId }) => gpuId !== id)).length
  if (free < count) return 'NONE'
  if (free === cards.length) return 'HIGH'
  return free * 2 >= cards.length ? 'MEDIUM' : 'LOW'
}

const dataCenterIds = Object.keys(PLACES)
const placeName = (id: string) => (id === THIS_MACHINE ? 'This machine' : `This machine, as ${id}`)

function stockEverywhere(availability: Availability) {
  return { availability, dataCenters: dataCenterIds.map((id) => ({ id, name: placeName(id), availability })) }
}

export function cpuTypes({
  stock,
  vcpuCount = VCPU.min,
}: {
  readonly stock: boolean
  readonly vcpuCount?: number | undefined
}): readonly CpuType[] {
  return Object.entries(CPU_FAMILIES).map(([id, { name, group, ram }]) => ({
    id,
    name,
    group,
    vcpu: VCPU,
    ramGbPerVcpu: ram,
    price: { securePerVcpu: 0, serverlessPerVcpu: 0 },
    ...(stock ? stockEverywhere(vcpuCount <= VCPU.max ? 'HIGH' : 'NONE') : {}),
  }))
}

export function dataCenters(
  machine: CatalogMachine,
  stock: { readonly gpu: boolean; readonly cpu: boolean },
): readonly DataCenter[] {
  const gpus = gpuTypes(machine, { stock: true, count: 1 }).map(({ id, name, availability = 'NONE' }) => ({
    id,
    name,
    availability,
  }))
  const cpus = cpuTypes({ stock: false }).map(({ id, name }) => ({ id, name, availability: 'HIGH' as const }))
  return Object.entries(PLACES).map(([id, region]) => ({
    id,
    name: placeName(id),
    region,
    globalNetwork: false,
    networkVolumeTypes: ['STANDARD'],
    compliance: [],
    ...(stock.gpu ? { gpuAvailability: gpus } : {}),
    ...(stock.cpu ? { cpuAvailability: cpus } : {}),
  }))
}
