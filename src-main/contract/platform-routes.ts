/**
 * Version 2 of the platform's management API. It needs the account key; errors are problem documents (RFC 9457).
 * Source: docs/spec/platform.md, 5.
 */
import { z } from 'zod'
import { logQuery, workerLogQuery } from './log-query.ts'
import {
  networkVolume,
  platformEndpoint,
  platformEndpointCreate,
  platformEndpointUpdate,
  platformRegistry,
  platformRegistryCreate,
  platformReleases,
  platformWorkers,
  template,
  templateCreate,
  templateUpdate,
  volumeCreate,
  volumeUpdate,
} from './platform.ts'
import {
  cpuQuery,
  cpuType,
  dataCenter,
  dataCenterQuery,
  dataCentersQuery,
  gpuQuery,
  gpuType,
} from './platform-catalog.ts'
import { ROUTES_NOT_HERE } from './platform-routes-not-here.ts'
import { endpointCreateV1, endpointQueryV1, endpointUpdateV1, endpointV1 } from './platform-v1.ts'
import { POD_ROUTES } from './pods.ts'
import { DELETE, GET, PATCH, POST, type Route, wholeNumber } from './routes.ts'

const nothing = z.undefined()

const pageQuery = {
  cursor: z.string().max(500).optional().describe('nextCursor of the page before'),
  limit: wholeNumber.refine((n) => n >= 1 && n <= 1000, 'must be from 1 to 1000').optional(),
}
const pagination = z.object({ hasNextPage: z.boolean(), nextCursor: z.string().nullable() })

/** Default page size of a list; the public client follows the cursor. Source: ours. */
export const PLATFORM_PAGE = 100

const READ_BODY = ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'] as const

const ENDPOINT_ROUTES = {
  endpointList: GET('/v2/serverless', 'List endpoints', {
    response: z.object({ endpoints: z.array(platformEndpoint) }),
  }),
  endpointCreate: POST('/v2/serverless', 'Create an endpoint', {
    status: 201,
    body: platformEndpointCreate,
    response: platformEndpoint,
    errors: [...READ_BODY, 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  }),
  endpointRead: GET('/v2/serverless/:id', 'Read an endpoint', {
    response: platformEndpoint,
    errors: ['ENDPOINT_NOT_FOUND'],
  }),
  endpointUpdate: PATCH('/v2/serverless/:id', 'Change an endpoint; workers are replaced if needed', {
    body: platformEndpointUpdate,
    response: platformEndpoint,
    errors: [...READ_BODY, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  }),
  endpointDelete: DELETE('/v2/serverless/:id', 'Stop the workers, cancel the jobs and delete the endpoint', {
    status: 204,
    response: nothing,
    errors: ['ENDPOINT_NOT_FOUND'],
  }),
  endpointListV1: GET('/v1/endpoints', 'List endpoints (version 1)', {
    query: endpointQueryV1,
    response: z.array(endpointV1),
    errors: ['BAD_FIELD'],
  }),
  endpointCreateV1: POST('/v1/endpoints', 'Create an endpoint from a template (version 1)', {
    status: 201,
    body: endpointCreateV1,
    response: endpointV1,
    errors: [...READ_BODY, 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  }),
  endpointReadV1: GET('/v1/endpoints/:id', 'Read an endpoint (version 1)', {
    query: endpointQueryV1,
    response: endpointV1,
    errors: ['ENDPOINT_NOT_FOUND', 'BAD_FIELD'],
  }),
  endpointUpdateV1: PATCH('/v1/endpoints/:id', 'Change an endpoint; workers are replaced if needed (version 1)', {
    body: endpointUpdateV1,
    response: endpointV1,
    errors: [...READ_BODY, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  }),
  endpointDeleteV1: DELETE(
    '/v1/endpoints/:id',
    'Stop the workers, cancel the jobs and delete the endpoint (version 1)',
    {
      status: 204,
      response: nothing,
      errors: ['ENDPOINT_NOT_FOUND'],
    },
  ),
  workerList: GET('/v2/serverless/:id/workers', 'List the workers of an endpoint', {
    response: platformWorkers,
    errors: ['ENDPOINT_NOT_FOUND'],
  }),
  releaseList: GET('/v2/serverless/:id/releases', 'List the changes that replaced the workers of an endpoint', {
    response: platformReleases,
    errors: ['ENDPOINT_NOT_FOUND'],
  }),
  workerLogs: GET('/v2/serverless/:id/workers/:workerId/logs', 'Follow the log of a worker as server-sent events', {
    query: workerLogQuery,
    response: z.string(),
    errors: ['BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'WORKER_NOT_FOUND'],
  }),
  workerLogSnapshot: GET('/v1/pod/:workerId/logs', 'Read or follow the log of a worker', {
    query: {
      ...logQuery,
      type: z.enum(['all', 'container', 'system']).optional(),
      stream: z.enum(['true', 'false']).optional(),
    },
    response: z.object({ container: z.array(z.string()), system: z.array(z.string()) }),
    errors: ['BAD_FIELD', 'WORKER_NOT_FOUND'],
    source: 'docs/spec/platform.md, 5; for the host, the public client',
  }),
} as const satisfies Record<string, Route>

const RECORD_ROUTES = {
  templateList: GET('/v2/templates', 'List templates', {
    query: pageQuery,
    response: z.object({ templates: z.array(template), pagination }),
    errors: ['BAD_FIELD'],
  }),
  templateCreate: POST('/v2/templates', 'Create a template', {
    status: 201,
    body: templateCreate,
    response: template,
    errors: [...READ_BODY, 'NAME_TAKEN', 'CANNOT_APPLY'],
  }),
  templateRead: GET('/v2/templates/:id', 'Read a template', {
    response: template,
    errors: ['TEMPLATE_NOT_FOUND'],
  }),
  templateUpdate: PATCH('/v2/templates/:id', 'Change a template, and the endpoints that were made from it', {
    body: templateUpdate,
    response: template,
    errors: [...READ_BODY, 'TEMPLATE_NOT_FOUND', 'NAME_TAKEN', 'CANNOT_APPLY'],
  }),
  templateDelete: DELETE('/v2/templates/:id', 'Delete a template', {
    status: 204,
    response: nothing,
    errors: ['TEMPLATE_NOT_FOUND', 'IN_USE'],
  }),
  volumeList: GET('/v2/network-volumes', 'List network volumes', {
    query: pageQuery,
    response: z.object({ networkVolumes: z.array(networkVolume), pagination }),
    errors: ['BAD_FIELD'],
  }),
  volumeCreate: POST('/v2/network-volumes', 'Create a network volume: a folder of the data folder', {
    status: 201,
    body: volumeCreate,
    response: networkVolume,
    errors: [...READ_BODY, 'NAME_TAKEN'],
  }),
  volumeRead: GET('/v2/network-volumes/:id', 'Read a network volume', {
    response: networkVolume,
    errors: ['VOLUME_NOT_FOUND'],
  }),
  volumeUpdate: PATCH('/v2/network-volumes/:id', 'Rename or enlarge a network volume', {
    body: volumeUpdate,
    response: networkVolume,
    errors: [...READ_BODY, 'VOLUME_NOT_FOUND', 'NAME_TAKEN', 'CANNOT_APPLY'],
  }),
  volumeDelete: DELETE('/v2/network-volumes/:id', 'Forget a network volume; its folder stays', {
    status: 204,
    response: nothing,
    errors: ['VOLUME_NOT_FOUND', 'IN_USE'],
    source: 'ours for the folder, because deleting a record must not delete files of a person',
  }),
  registryList: GET('/v2/registries', 'List registry credentials, without passwords', {
    query: pageQuery,
    response: z.object({ registries: z.array(platformRegistry), pagination }),
    errors: ['BAD_FIELD', 'SECRET_LOST'],
  }),
  registryCreate: POST('/v2/registries', 'Store registry credentials', {
    role: 'admin',
    status: 201,
    body: platformRegistryCreate,
    response: platformRegistry,
    errors: [...READ_BODY, 'NAME_TAKEN', 'CANNOT_APPLY'],
  }),
  registryRead: GET('/v2/registries/:id', 'Read registry credentials, without the password', {
    response: platformRegistry,
    errors: ['REGISTRY_NOT_FOUND', 'SECRET_LOST'],
  }),
  registryDelete: DELETE('/v2/registries/:id', 'Remove registry credentials', {
    role: 'admin',
    status: 204,
    response: nothing,
    errors: ['REGISTRY_NOT_FOUND', 'IN_USE'],
  }),
} as const satisfies Record<string, Route>

const CATALOG_ROUTES = {
  gpuList: GET('/v2/catalog/gpus', 'List the GPUs of this machine', {
    query: gpuQuery,
    response: z.object({ gpus: z.array(gpuType) }),
    errors: ['BAD_FIELD'],
  }),
  gpuRead: GET('/v2/catalog/gpus/:id', 'Read a GPU type', {
    query: gpuQuery,
    response: gpuType,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  }),
  cpuList: GET('/v2/catalog/cpus', 'List the families of CPU machines', {
    query: cpuQuery,
    response: z.object({ cpus: z.array(cpuType) }),
    errors: ['BAD_FIELD'],
  }),
  cpuRead: GET('/v2/catalog/cpus/:id', 'Read a family of CPU machines', {
    query: cpuQuery,
    response: cpuType,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  }),
  dataCenterList: GET('/v2/catalog/datacenters', 'List the data centers, all of which are this machine', {
    query: dataCentersQuery,
    response: z.object({ dataCenters: z.array(dataCenter) }),
    errors: ['BAD_FIELD'],
  }),
  dataCenterRead: GET('/v2/catalog/datacenters/:id', 'Read a data center', {
    query: dataCenterQuery,
    response: dataCenter,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  }),
  publicTemplateList: GET('/v2/catalog/templates', 'List the public templates of this service', {
    query: { source: z.enum(['official', 'verified', 'community']).optional() },
    response: z.object({ templates: z.array(template) }),
    errors: ['BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>

export const PLATFORM_ROUTES_HERE = {
  ...ENDPOINT_ROUTES,
  ...RECORD_ROUTES,
  ...CATALOG_ROUTES,
} as const satisfies Record<string, Route>

/** The management API of the platform. Fixed addresses come before those with an id. */
export const PLATFORM_ROUTES = {
  ...ROUTES_NOT_HERE,
  ...PLATFORM_ROUTES_HERE,
} as const satisfies Record<string, Route>

export type PlatformOperation = keyof typeof PLATFORM_ROUTES

const PREFIXES = new Set(
  [...Object.values(PLATFORM_ROUTES), ...Object.values(POD_ROUTES)].map(({ path }) => prefixOf(path)),
)

/**
 * True for paths of this API, whose errors use its format.
 * @param path like /v2/serverless/abc
 */
export function isPlatformPath(path: string): boolean {
  return PREFIXES.has(prefixOf(path))
}

function prefixOf(path: string): string {
  return path.split('/', 3).join('/')
}
