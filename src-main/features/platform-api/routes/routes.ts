import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { PLATFORM_PAGE, PLATFORM_ROUTES, type PlatformOperation } from '../../../contract/platform-routes.ts'
import type { Route } from '../../../contract/routes.ts'
import { answerAudited } from '../../../http/audit.ts'
import type { PlatformOperations } from '../../../http/operation.ts'
import { parseRequest } from '../../../http/read-request.ts'
import type { Caller } from '../../keys/keys.ts'
import type { ServiceContext } from '../../service-context.ts'
import { listCpuTypes, listDataCenters, listGpuTypes, readCpuType, readDataCenter, readGpuType } from '../catalog.ts'
import { updatePlatformEndpoint } from '../endpoints.ts'
import {
  createPlatformRegistry,
  createTemplate,
  createVolume,
  deletePlatformRegistry,
  deleteTemplate,
  deleteVolume,
  endpointsFromTemplate,
  listPlatformRegistries,
  listPublicTemplates,
  listTemplates,
  listVolumes,
  readPlatformRegistry,
  readTemplate,
  readVolume,
  updateTemplate,
  updateVolume,
} from '../records.ts'
import { PLATFORM_ENDPOINT_OPERATIONS } from './endpoints.ts'

const pageIn = ({
  cursor,
  limit = PLATFORM_PAGE,
}: {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}) => ({
  cursor,
  limit,
})

const RECORD_OPERATIONS = {
  templateList({ query }, { storage }) {
    const { items: templates, pagination } = listTemplates(storage, pageIn(query))
    return { templates, pagination }
  },
  templateCreate: async ({ body }, service) => await createTemplate(service, body),
  templateRead: ({ path }, { storage }) => readTemplate(storage, path.id),
  async templateUpdate({ path, body }, service) {
    const changed = await updateTemplate(service, path.id, body)
    const { image, args, disk, env, ports, registry } = body
    const given = { image, args, disk, env, ports, registry }
    const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    if (Object.keys(changes).length > 0)
      for (const endpoint of endpointsFromTemplate(service.storage, path.id))
        await updatePlatformEndpoint(service, endpoint, changes)
    return changed
  },
  async templateDelete({ path }, service) {
    await deleteTemplate(service, path.id)
    return undefined
  },
  volumeList({ query }, { storage }) {
    const { items: networkVolumes, pagination } = listVolumes(storage, pageIn(query))
    return { networkVolumes, pagination }
  },
  volumeCreate: async ({ body }, service) => await createVolume(service, body),
  volumeRead: ({ path }, { storage }) => readVolume(storage, path.id),
  volumeUpdate: async ({ path, body }, service) => await updateVolume(service, path.id, body),
  async volumeDelete({ path }, service) {
    await deleteVolume(service, path.id)
    return undefined
  },
  registryList({ query }, { storage }) {
    const { items: registries, pagination } = listPlatformRegistries(storage, pageIn(query))
    return { registries, pagination }
  },
  registryCreate: async ({ body }, service) => await createPlatformRegistry(service, body),
  registryRead: ({ path }, { storage }) => readPlatformRegistry(storage, path.id),
  async registryDelete({ path }, service) {
    await deletePlatformRegistry(service, path.id)
    return undefined
  },
} as const satisfies Partial<PlatformOperations>

const CATALOG_OPERATIONS = {
  gpuList: async ({ query }, service) => ({ gpus: await listGpuTypes(service, query) }),
  gpuRead: async ({ path, query }, service) => await readGpuType(service, path.id, query),
  cpuList: ({ query }) => ({ cpus: listCpuTypes(query) }),
  cpuRead: ({ path, query }) => readCpuType(path.id, query),
  dataCenterList: async ({ query }, service) => ({ dataCenters: await listDataCenters(service, query) }),
  dataCenterRead: async ({ path, query }, service) => await readDataCenter(service, path.id, query),
  publicTemplateList: ({ query }, { storage }) => ({
    templates: query.source === 'community' ? listPublicTemplates(storage) : [],
  }),
} as const satisfies Partial<PlatformOperations>

const GLOBAL_VOLUMES = 'they are stored in many places at once; create a network volume with POST /v2/network-volumes'
const CLUSTERS = 'all workers are on this machine'
const BILLS = 'nothing is paid for'
const BUILDS = 'deploy an app with `drydock deploy`, or name an image'
const DELEGATIONS = 'credentials are used by this service alone; store them with POST /v2/registries'
const SSH_KEYS = 'workers have no SSH; open a shell in a container on the page of its worker'

function notHere(what: string, why: string) {
  return (): never => {
    throw new AppError('NOT_ON_THIS_MACHINE', { what, why })
  }
}

const NOT_HERE_OPERATIONS = {
  globalVolumeList: notHere('global volumes', GLOBAL_VOLUMES),
  globalVolumeRead: notHere('global volumes', GLOBAL_VOLUMES),
  sshKeys: notHere('SSH keys', SSH_KEYS),
  clusterList: notHere('clusters', CLUSTERS),
  clusterRead: notHere('clusters', CLUSTERS),
  clusterPods: notHere('clusters', CLUSTERS),
  billing: notHere('bills', BILLS),
  billingOf: notHere('bills', BILLS),
  buildList: notHere('builds of repositories', BUILDS),
  buildRead: notHere('builds of repositories', BUILDS),
  delegationList: notHere('delegations of registries', DELEGATIONS),
  delegationRead: notHere('delegations of registries', DELEGATIONS),
} as const satisfies Partial<PlatformOperations>

const OPERATIONS: PlatformOperations = {
  ...PLATFORM_ENDPOINT_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...NOT_HERE_OPERATIONS,
}

export function createPlatformOperations(service: ServiceContext) {
  return async (name: PlatformOperation, c: Context, caller: Caller): Promise<Response> => {
    const operate = OPERATIONS[name] as (request: object, service: ServiceContext) => unknown
    const row: Route = PLATFORM_ROUTES[name]
    const request = { c, caller, ...(await parseRequest(c, row, service)) }
    const change = { c, caller, operation: `platform ${name}`, row, request }
    return answerAudited(service, change, () => operate(request, service))
  }
}
