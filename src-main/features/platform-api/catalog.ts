import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type {
  CpuType,
  cpuQuery,
  DataCenter,
  dataCentersQuery,
  GpuType,
  gpuQuery,
} from '../../contract/platform-catalog.ts'
import type { Fleet } from '../../runtimes/port.ts'
import { type CatalogMachine, cpuTypes, dataCenters, gpuTypes } from './rules/catalog.ts'

type Deps = { readonly fleet: Pick<Fleet, 'containerHost'> }
type QueryOf<Query extends Record<string, z.ZodType>> = { readonly [Name in keyof Query]?: z.output<Query[Name]> }

async function machineOf({ fleet }: Deps): Promise<CatalogMachine> {
  const found = await fleet.containerHost?.gpus(false)
  return { cards: found?.inventory.cards ?? [], holds: found?.holds ?? [] }
}

export async function listGpuTypes(
  deps: Deps,
  { include, count, cloud }: QueryOf<typeof gpuQuery>,
): Promise<readonly GpuType[]> {
  if (cloud === 'COMMUNITY') return []
  return gpuTypes(await machineOf(deps), { stock: include?.includes('AVAILABILITY') ?? false, count: count ?? 1 })
}

export async function readGpuType(deps: Deps, id: string, query: QueryOf<typeof gpuQuery>): Promise<GpuType> {
  const found = (await listGpuTypes(deps, query)).find((one) => one.id === id)
  return found ?? missing('GPU', id, '/v2/catalog/gpus')
}

export function listCpuTypes({ include, vcpuCount }: QueryOf<typeof cpuQuery>): readonly CpuType[] {
  return cpuTypes({ stock: include?.includes('AVAILABILITY') ?? false, vcpuCount })
}

export function readCpuType(id: string, query: QueryOf<typeof cpuQuery>): CpuType {
  return listCpuTypes(query).find((one) => one.id === id) ?? missing('CPU', id, '/v2/catalog/cpus')
}

export async function listDataCenters(
  deps: Deps,
  query: QueryOf<typeof dataCentersQuery>,
): Promise<readonly DataCenter[]> {
  const { include = [], regions, networkVolumeTypes, compliance, globalNetwork } = query
  const all = dataCenters(await machineOf(deps), {
    gpu: include.includes('GPU_AVAILABILITY'),
    cpu: include.includes('CPU_AVAILABILITY'),
  })
  return all.filter(
    (one) =>
      (regions?.includes(one.region) ?? true) &&
      (networkVolumeTypes?.some((type) => one.networkVolumeTypes.includes(type)) ?? true) &&
      (compliance?.every((rule) => one.compliance.includes(rule)) ?? true) &&
      (globalNetwork === undefined || (globalNetwork === 'true') === one.globalNetwork),
  )
}

export async function readDataCenter(
  deps: Deps,
  id: string,
  query: Pick<QueryOf<typeof dataCentersQuery>, 'include'>,
): Promise<DataCenter> {
  const found = (await listDataCenters(deps, query)).find((one) => one.id === id)
  return found ?? missing('data center', id, '/v2/catalog/datacenters')
}

function missing(what: string, id: string, path: string): never {
  throw new AppError('CATALOG_ENTRY_NOT_FOUND', { what, id: id.slice(0, 100), path })
}
