import { z } from 'zod'
import { GRAPH_BODY } from './published.ts'
import { GET, moment, POST, type Route } from './routes.ts'
import { imageConflict, workflowLock } from './worker-images.ts'

export const IMAGE_STEPS = ['lock', 'build', 'test'] as const

export type ImageStep = (typeof IMAGE_STEPS)[number]

export const BAKES = ['none', 'small', 'all'] as const

const stepView = z.object({
  step: z.enum(IMAGE_STEPS),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  tookMs: z.number().optional(),
  text: z.string().optional().describe('the newest line of its progress, then its summary'),
})

const check = z.object({
  name: z.string(),
  passed: z.boolean(),
  why: z.string().optional().describe('why it failed'),
})

export type ImageCheck = z.infer<typeof check>

export const imageTest = z.object({
  full: z.boolean().describe('whether the graph was run'),
  steps: z.array(z.object({ name: z.string(), passed: z.boolean(), text: z.string(), seconds: z.number() })).min(1),
})

export type ImageTest = z.infer<typeof imageTest>

const builtImage = z.object({
  reference: z.string(),
  id: z.string().describe('digest of its configuration; equal for equal locks'),
  sizeBytes: z.number().int(),
  built: z.array(z.string()).describe('layers that were built now'),
  reused: z.number().int().describe('how many layers came from the cache'),
})

export type BuiltImage = z.infer<typeof builtImage>

export const imageBuildView = z.object({
  state: z.enum(['none', 'running', 'done', 'failed', 'cancelled']).describe('none: nothing was started yet'),
  startedAt: moment.optional(),
  endedAt: moment.optional(),
  steps: z.array(stepView),
  lock: workflowLock.optional().describe('the newest one of this workflow'),
  lockText: z.string().optional().describe('the same as a file'),
  conflicts: z.array(imageConflict),
  problem: z.string().optional().describe('why the last step failed'),
  image: builtImage.optional(),
  checks: z.array(check),
})

export type ImageBuildView = z.infer<typeof imageBuildView>

const request = z.strictObject({
  text: z.string().describe('the workflow as it is in the editor'),
  endpoint: z.string().max(100).optional().describe('whose ComfyUI server tells the versions of its packages'),
  until: z.enum(IMAGE_STEPS).default('test').describe('the last step'),
  tag: z.string().max(300).optional().describe('name of the image; required to build'),
  bake: z.enum(BAKES).default('small'),
  update: z.array(z.string().max(300)).max(500).default([]).describe('node packages that are locked anew'),
  base: z
    .strictObject({
      image: z.string().min(1).max(300).optional(),
      python: z
        .string()
        .regex(/^\d+\.\d+$/)
        .optional()
        .describe('its version of Python, such as 3.12'),
    })
    .default({})
    .describe('base image; what is missing stays as in the lock'),
  worker: z
    .enum(['local', 'anywhere'])
    .optional()
    .describe("local: smaller, without the platform's SDK, for this machine only; missing: as in the lock"),
  sources: z
    .record(z.string().max(300), z.string().max(1000))
    .default({})
    .describe('node package or ComfyUI -> folder, address@ref or registry:ID@VERSION, where it cannot be chosen'),
})

export type ImageBuildRequest = z.output<typeof request>

const params = { workflowId: z.string().min(1).max(100) }

export const IMAGE_BUILD_ROUTES = {
  imageBuildStart: POST(
    '/api/workflows/:workflowId/image',
    'Lock the workflow, and build and test its worker image; blocking conflicts stop it before the build',
    {
      params,
      body: request,
      bodyLimit: GRAPH_BODY,
      response: imageBuildView,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'WORKFLOW_NOT_FOUND', 'IMAGE_BUILD_RUNNING', 'STOPPING'],
      source: 'docs/spec/worker-images.md, 3',
    },
  ),
  imageBuildRead: GET(
    '/api/workflows/:workflowId/image',
    'Read the newest lock and build of the workflow, and their progress',
    {
      params,
      query: {
        follow: z.enum(['true', 'false']).optional().describe('as server-sent events, each the whole, until it ends'),
      },
      response: imageBuildView,
      errors: ['WORKFLOW_NOT_FOUND', 'BAD_FIELD'],
    },
  ),
  imageBuildCancel: POST('/api/workflows/:workflowId/image/cancel', 'Stop the build; the lock stays', {
    params,
    response: imageBuildView,
    errors: ['WORKFLOW_NOT_FOUND'],
  }),
} as const satisfies Record<string, Route>
