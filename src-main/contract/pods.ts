/**
 * Pods are containers on this machine, at the paths of versions 2 and 1 of the platform's API. Bodies accept the field
 * names of both. Source: docs/spec/platform.md, 5; ours where no source names a field.
 */
import { z } from 'zod'
import { containerSettings, environment } from './container.ts'
import { workerLogQuery } from './log-query.ts'
import { DELETE, GET, PATCH, POST, type Route } from './routes.ts'

const id = z.string().min(1).max(300)
const words = z.array(z.string().max(32_768)).max(1000)
const gigabytes = z.number().int().min(1).max(100_000)
const path = z.string().max(4096).regex(/^\/./, 'must be an absolute path in the container')
const port = z.string().regex(/^\d{1,5}\/(http|tcp)$/, 'must look like 8888/http or 22/tcp')

const ONE_VOLUME = 'has several, which would share one path. Give one'

const fields = {
  name: z.string().trim().min(1).max(100).optional(),
  image: containerSettings.shape.image,
  imageName: containerSettings.shape.image,
  args: z.string().max(32_768).optional().describe('replaces the command of the image'),
  cmd: words.optional(),
  dockerStartCmd: words.optional(),
  entrypoint: words.optional(),
  dockerEntrypoint: words.optional(),
  env: environment.optional(),
  ports: z.array(port).max(50).optional().describe('published on loopback at free ports'),
  disk: gigabytes.optional().describe('size limit of the container in GB, if the engine supports one'),
  containerDiskInGb: gigabytes.optional(),
  registry: id.nullable().optional(),
  containerRegistryAuthId: id.nullable().optional(),
  gpu: z
    .looseObject({
      id: id.optional(),
      pools: z.array(id).max(100).optional(),
      count: z.number().int().min(1).max(64).optional(),
    })
    .nullable()
    .optional(),
  gpuTypeIds: z.array(id).max(100).optional(),
  gpuCount: z.number().int().min(0).max(64).optional(),
  computeType: z.enum(['GPU', 'CPU']).optional(),
  mounts: z
    .looseObject({
      persistent: z.looseObject({ size: gigabytes.optional(), path: path.optional() }).optional(),
      network: z
        .array(z.looseObject({ volumeId: id, path: path.optional() }))
        .max(1, ONE_VOLUME)
        .optional(),
    })
    .optional(),
  volumeInGb: z.number().int().min(0).max(100_000).optional().describe('0: no volume'),
  volumeMountPath: path.optional(),
  networkVolumes: z.array(id).max(1, ONE_VOLUME).optional(),
  networkVolumeId: id.nullable().optional(),
}

// Fields about where a hosted pod runs, such as cloudType, mean nothing here and are dropped.
export const podCreate = z.object({ ...fields, templateId: id.optional() })
export const podUpdate = z.object(fields)

export type PodFields = z.output<typeof podUpdate>

const POD_STATUSES = ['STARTING', 'RUNNING', 'EXITED'] as const

export const pod = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(POD_STATUSES),
  statusReason: z.string().nullable().describe('why it does not run, or its progress while it starts'),
  desiredStatus: z.enum(['RUNNING', 'EXITED']),
  image: z.string(),
  imageName: z.string(),
  args: z.string(),
  cmd: z.array(z.string()),
  dockerStartCmd: z.array(z.string()),
  entrypoint: z.array(z.string()),
  dockerEntrypoint: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  ports: z.array(z.string()),
  portMappings: z.record(z.string(), z.number().int()).describe('ports on loopback by ports of the container'),
  publicIp: z.string(),
  runtime: z
    .object({
      uptime: z.number().int().describe('seconds'),
      ports: z.array(
        z.object({
          ip: z.string(),
          private: z.number().int(),
          public: z.number().int(),
          type: z.enum(['http', 'tcp']),
        }),
      ),
    })
    .nullable()
    .describe('null: the pod does not run'),
  uptimeSeconds: z.number().int().nullable(),
  disk: z.number().int(),
  containerDiskInGb: z.number().int(),
  registry: z.string().nullable(),
  containerRegistryAuthId: z.string().nullable(),
  gpu: z.object({ id: z.string(), pools: z.array(z.string()), count: z.number().int() }).nullable(),
  gpuTypeId: z.string().nullable(),
  gpuCount: z.number().int(),
  mounts: z.object({
    persistent: z.object({ size: z.number().int(), path: z.string() }).optional(),
    network: z.array(z.object({ volumeId: z.string(), path: z.string() })).optional(),
  }),
  volumeInGb: z.number().int(),
  volumeMountPath: z.string(),
  networkVolumes: z.array(z.string()),
  networkVolumeId: z.string().nullable(),
  templateId: z.string().nullable(),
  cost: z.number(),
  costPerHr: z.number(),
  adjustedCostPerHr: z.number(),
  interruptible: z.boolean(),
  locked: z.boolean(),
  volumeEncrypted: z.boolean(),
  createdAt: z.string(),
  lastStartedAt: z.string().nullable(),
})

export type Pod = z.infer<typeof pod>

/** A pod's container; `startedAt` in ms since the epoch. */
export type PodState = {
  readonly isRunning: boolean
  readonly startedAt: number
  /** Ports on loopback by ports of the container. */
  readonly ports: Readonly<Record<string, number>>
  readonly exit:
    | {
        readonly code: number | undefined
        readonly signal: string | undefined
        /** Cause beyond code and signal, like out of memory. */
        readonly reason: string | undefined
      }
    | undefined
}

export const POD_ACTIONS = ['start', 'stop', 'restart', 'terminate'] as const

export type PodAction = (typeof POD_ACTIONS)[number]

const source = 'docs/spec/platform.md, 5'
const READ_BODY = ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'] as const
const ON_ENGINE = ['NOT_ON_THIS_MACHINE'] as const
const OF_POD = ['POD_NOT_FOUND', ...ON_ENGINE] as const

const create = {
  status: 201,
  body: podCreate,
  response: pod,
  errors: [...READ_BODY, 'TEMPLATE_NOT_FOUND', 'CANNOT_APPLY', ...ON_ENGINE],
  source,
} as const
const read = { response: pod, errors: ['POD_NOT_FOUND'], source } as const
const update = {
  body: podUpdate,
  response: pod,
  errors: [...READ_BODY, 'CANNOT_APPLY', ...OF_POD],
  source,
} as const
const remove = { status: 204, response: z.undefined(), errors: OF_POD, source } as const

export const POD_ROUTES = {
  podList: GET('/v2/pods', 'List pods; the list is empty without Docker', {
    response: z.object({
      pods: z.array(pod),
      pagination: z.object({ hasNextPage: z.boolean(), nextCursor: z.null() }),
    }),
    errors: [],
    source,
  }),
  podCreate: POST('/v2/pods', 'Create a pod and start it', create),
  podRead: GET('/v2/pods/:id', 'Read a pod', read),
  podUpdate: PATCH('/v2/pods/:id', 'Change a pod; a running one gets a new container and keeps its volume', update),
  podDelete: DELETE(
    '/v2/pods/:id',
    'Delete a pod and its volume, or end a task call, which the package treats as a pod',
    remove,
  ),
  podAct: POST(
    '/v2/pods/:id/action',
    'Start, stop, restart or delete a pod; each start makes a new container and keeps the volume',
    {
      body: z.looseObject({ action: z.enum(POD_ACTIONS) }),
      response: pod,
      errors: [...READ_BODY, ...OF_POD],
      source,
    },
  ),
  podLogs: GET('/v2/pods/:id/logs', 'Follow the log of a pod, a worker or a task call as server-sent events', {
    query: {
      ...workerLogQuery,
      wait: z.enum(['true', 'false']).optional().describe('false: end after the current lines'),
    },
    response: z.string(),
    errors: ['BAD_FIELD', 'WORKER_NOT_FOUND', 'NOT_ON_THIS_MACHINE'],
    source,
  }),
  podListV1: GET('/v1/pods', 'List pods, filtered by name and kind (version 1)', {
    query: { name: z.string().max(300).optional(), computeType: z.enum(['GPU', 'CPU']).optional() },
    response: z.array(pod),
    errors: ['BAD_FIELD'],
    source,
  }),
  podCreateV1: POST('/v1/pods', 'Create a pod and start it (version 1)', create),
  podReadV1: GET('/v1/pods/:id', 'Read a pod (version 1)', read),
  podUpdateV1: PATCH('/v1/pods/:id', 'Change a pod (version 1)', update),
  podDeleteV1: DELETE('/v1/pods/:id', 'Delete a pod and its volume (version 1)', remove),
  podActV1: POST('/v1/pods/:id/:action', 'Start, stop, restart or reset a pod (version 1)', {
    params: { action: z.enum(['start', 'stop', 'restart', 'reset']) },
    response: pod,
    errors: ['BAD_FIELD', ...OF_POD],
    source,
  }),
} as const satisfies Record<string, Route>
