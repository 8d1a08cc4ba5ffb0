import { z } from 'zod'
import { appName, environmentName } from './app.ts'
import { containerSettings } from './container.ts'
import { machineChoice } from './machines.ts'
import { manifest, manifestResource } from './manifest.ts'
import { GRAPH_BODY, graphToRelease } from './published.ts'
import { GET, POST, type Route } from './routes.ts'
import { deployedImage, workflowLock } from './worker-images.ts'

const image = containerSettings.shape.image.unwrap()
const registryAuth = containerSettings.shape.registryAuth.describe(
  'name of stored registry credentials (default: those of docker login)',
)

export const imageToDeploy = z.strictObject({
  image,
  lock: workflowLock,
  graph: graphToRelease.optional().describe('published with the image, as an endpoint named like the app'),
  machine: machineChoice.optional().describe('where its workers run (default: as before)'),
  target: z.string().max(100).optional().describe('the target that the image is deployed to, if it is one'),
  registryAuth,
  settings: manifestResource
    .pick({ workersMin: true, workersMax: true, idleTimeout: true, gpuIds: true, gpuCount: true, instanceIds: true })
    .partial()
    .strict()
    .default({}),
})

export type ImageToDeploy = z.output<typeof imageToDeploy>

const LOCK_PARTS = [
  'base',
  'comfyui',
  'nodes',
  'python',
  'models',
  'inputs',
  'environment',
  'workflow',
  'image',
] as const

const lockChange = z.object({
  part: z.enum(LOCK_PARTS),
  name: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  from: z.string().optional(),
  to: z.string().optional().describe('values of environment variables are hidden'),
})

export type LockChange = z.infer<typeof lockChange>

const span = z.number().min(0).optional()

const mountedModel = z.object({
  path: z.string().describe('below the models folder of the image'),
  sizeBytes: z.number().int().optional(),
  from: z.string().optional().describe('folder or network volume that has it; missing: it is not there'),
})

export type MountedModel = z.infer<typeof mountedModel>

const coldStart = z.object({
  pullMs: span,
  startMs: span,
  firstPictureMs: span,
  totalMs: span.describe('missing: a part was never measured'),
  measured: z.array(z.string()).describe('what each part was measured on, or why it is missing'),
})

export type ColdStart = z.infer<typeof coldStart>

const sizeLimit = z.object({
  name: z.string(),
  value: z.string(),
  limit: z.string(),
  isOver: z.boolean(),
})

export type SizeLimit = z.infer<typeof sizeLimit>

export const imagePlan = z.object({
  image: deployedImage.omit({ lock: true }).extend({
    sizeBytesBefore: z.number().int().optional().describe('of the image that is deployed now'),
  }),
  from: z.number().int().optional().describe('number of the active release; missing: nothing is deployed'),
  changes: z.array(lockChange),
  mounts: z.array(mountedModel),
  coldStart,
  limits: z.array(sizeLimit),
  warnings: z.array(z.string()),
})

export type ImagePlan = z.infer<typeof imagePlan>

export const imagePush = z.object({
  id: z.string(),
  image: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  progress: z.string().optional(),
  digest: z.string().optional().describe('of the image in the registry'),
  reason: z.string().optional().describe('why it failed'),
})

export type ImagePush = z.infer<typeof imagePush>

const READ_BODY = ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'] as const

export const WORKER_IMAGE_ROUTES = {
  imagePlan: POST(
    '/api/apps/:app/environments/:environment/image-plan',
    'Compare a worker image with the deployed one, and make the manifest of its release; nothing is changed',
    {
      isStep: true,
      params: { app: appName, environment: environmentName },
      body: imageToDeploy,
      bodyLimit: GRAPH_BODY,
      response: z.object({
        plan: imagePlan,
        manifest: manifest.describe('source of a release or of a deploy to a target, as `image`'),
      }),
      errors: [...READ_BODY, 'NOT_A_WORKFLOW', 'TARGET_NOT_FOUND', 'TARGET_DEPLOY_NOT_FOUND'],
      source: 'docs/spec/worker-images.md, 5',
    },
  ),
  imagePushList: GET('/api/image-pushes', 'List the pushes since the service started, newest first', {
    response: z.object({ pushes: z.array(imagePush) }),
  }),
  imagePushCreate: POST('/api/image-pushes', 'Push an image of this machine to its registry', {
    body: z.strictObject({ image, registryAuth }),
    response: imagePush,
    errors: [...READ_BODY, 'STOPPING'],
    source: 'docs/spec/worker-images.md, 5',
  }),
  imagePushRead: GET('/api/image-pushes/:pushId', 'Read the progress of a push', {
    query: { follow: z.enum(['true', 'false']).optional().describe('as server-sent events, until it is over') },
    response: imagePush,
    errors: ['IMAGE_PUSH_NOT_FOUND', 'BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>
