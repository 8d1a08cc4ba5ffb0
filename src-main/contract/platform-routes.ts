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
import { type Route, wholeNumber } from './routes.ts'

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
  endpointList: {
    methods: ['GET'],
    path: '/v2/serverless',
    summary: 'List endpoints',
    response: z.object({ endpoints: z.array(platformEndpoint) }),
  },
  endpointCreate: {
    methods: ['POST'],
    path: '/v2/serverless',
    summary: 'Create an endpoint',
    status: 201,
    body: platformEndpointCreate,
    response: platformEndpoint,
    errors: [...READ_BODY, 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  },
  endpointRead: {
    methods: ['GET'],
    path: '/v2/serverless/:id',
    summary: 'Read an endpoint',
    response: platformEndpoint,
    errors: ['ENDPOINT_NOT_FOUND'],
  },
  endpointUpdate: {
    methods: ['PATCH'],
    path: '/v2/serverless/:id',
    summary: 'Change an endpoint; workers are replaced if needed',
    body: platformEndpointUpdate,
    response: platformEndpoint,
    errors: [...READ_BODY, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  },
  endpointDelete: {
    methods: ['DELETE'],
    path: '/v2/serverless/:id',
    summary: 'Stop the workers, cancel the jobs and delete the endpoint',
    status: 204,
    response: nothing,
    errors: ['ENDPOINT_NOT_FOUND'],
  },
  endpointListV1: {
    methods: ['GET'],
    path: '/v1/endpoints',
    summary: 'List endpoints (version 1)',
    query: endpointQueryV1,
    response: z.array(endpointV1),
    errors: ['BAD_FIELD'],
  },
  endpointCreateV1: {
    methods: ['POST'],
    path: '/v1/endpoints',
    summary: 'Create an endpoint from a template (version 1)',
    status: 201,
    body: endpointCreateV1,
    response: endpointV1,
    errors: [...READ_BODY, 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  },
  endpointReadV1: {
    methods: ['GET'],
    path: '/v1/endpoints/:id',
    summary: 'Read an endpoint (version 1)',
    query: endpointQueryV1,
    response: endpointV1,
    errors: ['ENDPOINT_NOT_FOUND', 'BAD_FIELD'],
  },
  endpointUpdateV1: {
    methods: ['PATCH'],
    path: '/v1/endpoints/:id',
    summary: 'Change an endpoint; workers are replaced if needed (version 1)',
    body: endpointUpdateV1,
    response: endpointV1,
    errors: [...READ_BODY, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_EXISTS', 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY'],
  },
  endpointDeleteV1: {
    methods: ['DELETE'],
    path: '/v1/endpoints/:id',
    summary: 'Stop the workers, cancel the jobs and delete the endpoint (version 1)',
    status: 204,
    response: nothing,
    errors: ['ENDPOINT_NOT_FOUND'],
  },
  workerList: {
    methods: ['GET'],
    path: '/v2/serverless/:id/workers',
    summary: 'List the workers of an endpoint',
    response: platformWorkers,
    errors: ['ENDPOINT_NOT_FOUND'],
  },
  releaseList: {
    methods: ['GET'],
    path: '/v2/serverless/:id/releases',
    summary: 'List the changes that replaced the workers of an endpoint',
    response: platformReleases,
    errors: ['ENDPOINT_NOT_FOUND'],
  },
  workerLogs: {
    methods: ['GET'],
    path: '/v2/serverless/:id/workers/:workerId/logs',
    summary: 'Follow the log of a worker as server-sent events',
    query: workerLogQuery,
    response: z.string(),
    errors: ['BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'WORKER_NOT_FOUND'],
  },
  workerLogSnapshot: {
    methods: ['GET'],
    path: '/v1/pod/:workerId/logs',
    summary: 'Read or follow the log of a worker',
    query: {
      ...logQuery,
      type: z.enum(['all', 'container', 'system']).optional(),
      stream: z.enum(['true', 'false']).optional(),
    },
    response: z.object({ container: z.array(z.string()), system: z.array(z.string()) }),
    errors: ['BAD_FIELD', 'WORKER_NOT_FOUND'],
    source: 'docs/spec/platform.md, 5; for the host, the public client',
  },
} as const satisfies Record<string, Route>

const RECORD_ROUTES = {
  templateList: {
    methods: ['GET'],
    path: '/v2/templates',
    summary: 'List templates',
    query: pageQuery,
    response: z.object({ templates: z.array(template), pagination }),
    errors: ['BAD_FIELD'],
  },
  templateCreate: {
    methods: ['POST'],
    path: '/v2/templates',
    summary: 'Create a template',
    status: 201,
    body: templateCreate,
    response: template,
    errors: [...READ_BODY, 'NAME_TAKEN', 'CANNOT_APPLY'],
  },
  templateRead: {
    methods: ['GET'],
    path: '/v2/templates/:id',
    summary: 'Read a template',
    response: template,
    errors: ['TEMPLATE_NOT_FOUND'],
  },
  templateUpdate: {
    methods: ['PATCH'],
    path: '/v2/templates/:id',
    summary: 'Change a template, and the endpoints that were made from it',
    body: templateUpdate,
    response: template,
    errors: [...READ_BODY, 'TEMPLATE_NOT_FOUND', 'NAME_TAKEN', 'CANNOT_APPLY'],
  },
  templateDelete: {
    methods: ['DELETE'],
    path: '/v2/templates/:id',
    summary: 'Delete a template',
    status: 204,
    response: nothing,
    errors: ['TEMPLATE_NOT_FOUND', 'IN_USE'],
  },
  volumeList: {
    methods: ['GET'],
    path: '/v2/network-volumes',
    summary: 'List network volumes',
    query: pageQuery,
    response: z.object({ networkVolumes: z.array(networkVolume), pagination }),
    errors: ['BAD_FIELD'],
  },
  volumeCreate: {
    methods: ['POST'],
    path: '/v2/network-volumes',
    summary: 'Create a network volume: a folder of the data folder',
    status: 201,
    body: volumeCreate,
    response: networkVolume,
    errors: [...READ_BODY, 'NAME_TAKEN'],
  },
  volumeRead: {
    methods: ['GET'],
    path: '/v2/network-volumes/:id',
    summary: 'Read a network volume',
    response: networkVolume,
    errors: ['VOLUME_NOT_FOUND'],
  },
  volumeUpdate: {
    methods: ['PATCH'],
    path: '/v2/network-volumes/:id',
    summary: 'Rename or enlarge a network volume',
    body: volumeUpdate,
    response: networkVolume,
    errors: [...READ_BODY, 'VOLUME_NOT_FOUND', 'NAME_TAKEN', 'CANNOT_APPLY'],
  },
  volumeDelete: {
    methods: ['DELETE'],
    path: '/v2/network-volumes/:id',
    summary: 'Forget a network volume; its folder stays',
    status: 204,
    response: nothing,
    errors: ['VOLUME_NOT_FOUND', 'IN_USE'],
    source: 'ours for the folder, because deleting a record must not delete files of a person',
  },
  registryList: {
    methods: ['GET'],
    path: '/v2/registries',
    summary: 'List registry credentials, without passwords',
    query: pageQuery,
    response: z.object({ registries: z.array(platformRegistry), pagination }),
    errors: ['BAD_FIELD', 'SECRET_LOST'],
  },
  registryCreate: {
    methods: ['POST'],
    path: '/v2/registries',
    summary: 'Store registry credentials',
    role: 'admin',
    status: 201,
    body: platformRegistryCreate,
    response: platformRegistry,
    errors: [...READ_BODY, 'NAME_TAKEN', 'CANNOT_APPLY'],
  },
  registryRead: {
    methods: ['GET'],
    path: '/v2/registries/:id',
    summary: 'Read registry credentials, without the password',
    response: platformRegistry,
    errors: ['REGISTRY_NOT_FOUND', 'SECRET_LOST'],
  },
  registryDelete: {
    methods: ['DELETE'],
    path: '/v2/registries/:id',
    summary: 'Remove registry credentials',
    role: 'admin',
    status: 204,
    response: nothing,
    errors: ['REGISTRY_NOT_FOUND', 'IN_USE'],
  },
} as const satisfies Record<string, Route>

const CATALOG_ROUTES = {
  gpuList: {
    methods: ['GET'],
    path: '/v2/catalog/gpus',
    summary: 'List the GPUs of this machine',
    query: gpuQuery,
    response: z.object({ gpus: z.array(gpuType) }),
    errors: ['BAD_FIELD'],
  },
  gpuRead: {
    methods: ['GET'],
    path: '/v2/catalog/gpus/:id',
    summary: 'Read a GPU type',
    query: gpuQuery,
    response: gpuType,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  },
  cpuList: {
    methods: ['GET'],
    path: '/v2/catalog/cpus',
    summary: 'List the families of CPU machines',
    query: cpuQuery,
    response: z.object({ cpus: z.array(cpuType) }),
    errors: ['BAD_FIELD'],
  },
  cpuRead: {
    methods: ['GET'],
    path: '/v2/catalog/cpus/:id',
    summary: 'Read a family of CPU machines',
    query: cpuQuery,
    response: cpuType,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  },
  dataCenterList: {
    methods: ['GET'],
    path: '/v2/catalog/datacenters',
    summary: 'List the data centers, all of which are this machine',
    query: dataCentersQuery,
    response: z.object({ dataCenters: z.array(dataCenter) }),
    errors: ['BAD_FIELD'],
  },
  dataCenterRead: {
    methods: ['GET'],
    path: '/v2/catalog/datacenters/:id',
    summary: 'Read a data center',
    query: dataCenterQuery,
    response: dataCenter,
    errors: ['BAD_FIELD', 'CATALOG_ENTRY_NOT_FOUND'],
  },
  publicTemplateList: {
    methods: ['GET'],
    path: '/v2/catalog/templates',
    summary: 'List the public templates of this service',
    query: { source: z.enum(['official', 'verified', 'community']).optional() },
    response: z.object({ templates: z.array(template) }),
    errors: ['BAD_FIELD'],
  },
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
