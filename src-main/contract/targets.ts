import { z } from 'zod'
import { appName, artifactName, deployPlan, environmentName, releaseStep } from './app.ts'
import { manifest } from './manifest.ts'
import { GRAPH_BODY } from './published.ts'
import { DELETE, done, GET, POST, type Route } from './routes.ts'

const targetName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, hyphens and underscores')

const targetUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address like https://HOST' })
  .max(1000)
  .regex(/^[^@?#]*$/, 'must be an address without user, query and fragment')
  // Clients of the platform are configured with either suffix; the service is the same.
  .transform((text) => text.replace(/\/+$/, '').replace(/\/(?:v2|graphql)$/, ''))

/** Body of 'store a target'; replaces the one of the same name. */
export const targetCreate = z.strictObject({
  name: targetName,
  url: targetUrl.describe('of the control plane: GraphQL is at /graphql below it, the management API at /v2'),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,1000}$/, 'must be one word')
    .describe('account key; it is stored encrypted and never shown again'),
})

export type TargetCreate = z.output<typeof targetCreate>

export const targetView = z.object({ name: z.string(), url: z.string(), updatedAt: z.number().int() })

export type TargetView = z.infer<typeof targetView>

export const targetApp = z.object({
  isThere: z.boolean(),
  environments: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      build: z.string().optional(),
      endpoints: z.array(z.string()).describe('their names in the app'),
    }),
  ),
})

export type TargetApp = z.infer<typeof targetApp>

export const targetSource = z.union([
  z.strictObject({ artifact: artifactName.describe('one that is here, for a deploy'), manifest }),
  z.strictObject({ image: manifest.describe('of a worker image, as `image-plan` makes it') }),
  z.strictObject({ deploy: z.number().int().min(1).describe('number of an earlier deploy to the same environment') }),
])

export type TargetSource = z.output<typeof targetSource>

/** The plan of a deploy to a target, as far as the target reports its state. */
export const targetPlan = deployPlan.pick({ app: true, environment: true, makes: true, steps: true, warnings: true })

export type TargetPlan = z.infer<typeof targetPlan>

export const targetDeployCreate = z.strictObject({
  source: targetSource,
  deletes: z.array(z.string()).max(1000).default([]).describe('endpoints that may be deleted there'),
  withKey: z
    .boolean()
    .default(false)
    .describe('put the account key of the target into the environment of workers that call others'),
})

export type TargetDeployCreate = z.output<typeof targetDeployCreate>

const targetEndpoint = z.object({
  resource: z.string(),
  id: z.string(),
  loadBalanced: z.boolean(),
  url: z.string().describe('base address of its jobs or routes'),
  state: z.string().describe('what its workers do, like "1 idle"; "no worker" starts one with the first job'),
})

export type TargetEndpoint = z.infer<typeof targetEndpoint>

/** A target deploy, kept until the service ends; a successful one is recorded. */
export const targetDeploy = z.object({
  id: z.string(),
  target: z.string(),
  app: z.string(),
  environment: z.string(),
  state: z.enum(['running', 'active', 'failed']),
  phase: z.enum(['begin', 'upload', 'activate', 'wait', 'delete', 'end']),
  sentBytes: z.number().int().describe('of the artifact that are there'),
  totalBytes: z.number().int().describe('0: none has to be sent'),
  steps: z.array(releaseStep),
  log: z.array(z.string()).describe('what happened that a person may want to know, like an upload that went on'),
  number: z.number().int().optional().describe('of the record, once it is active'),
  reason: z.string().optional().describe('why it failed, and what holds there now'),
  endpoints: z.array(targetEndpoint).describe('those of the environment afterwards'),
})

export type TargetDeploy = z.infer<typeof targetDeploy>

export const targetRecord = z.object({
  number: z.number().int(),
  build: z.string().describe('its id on the target'),
  artifact: artifactName,
  rollbackOf: z.number().int().optional(),
  createdAt: z.number().int(),
})

export type TargetRecord = z.infer<typeof targetRecord>

/** The structure of a response to a probe's call, without its values. */
export const probeAnswer = z.object({
  failure: z.string().optional().describe('why there is no usable response'),
  status: z.number().int(),
  contentType: z.string(),
  fields: z.record(z.string(), z.string()).describe('JSON type by path; the value itself for fields like `code`'),
})

export type ProbeAnswer = z.infer<typeof probeAnswer>

export type ProbeResult = {
  readonly call: string
  readonly result: 'same' | 'different' | 'unknown'
  readonly found: readonly string[]
}

const PLACE = '/api/targets/:target/apps/:app/environments/:environment'
const place = { app: appName, environment: environmentName }
const OF_TARGET = ['TARGET_NOT_FOUND', 'TARGET_UNREACHABLE', 'TARGET_REFUSED', 'SECRET_LOST'] as const
const READ_BODY = ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'] as const

export const TARGET_ROUTES = {
  targetList: GET('/api/targets', 'List targets, without their keys', {
    response: z.object({ targets: z.array(targetView) }),
    errors: ['SECRET_LOST'],
  }),
  targetPut: POST('/api/targets', 'Store a target whose key works; it replaces the one of the same name', {
    role: 'admin',
    body: targetCreate,
    response: targetView,
    errors: [...READ_BODY, 'TARGET_UNREACHABLE', 'TARGET_REFUSED'],
  }),
  targetRemove: DELETE(
    '/api/targets/:target',
    'Forget a target, its key and its records; what is deployed there stays',
    { role: 'admin', response: done, errors: ['TARGET_NOT_FOUND'] },
  ),
  targetProbe: POST('/api/targets/:target/probe', 'Send read-only calls to a target and describe its responses', {
    role: 'admin',
    response: z.object({ answers: z.array(probeAnswer) }),
    errors: ['TARGET_NOT_FOUND', 'SECRET_LOST'],
  }),
  targetAppRead: GET('/api/targets/:target/apps/:app', 'List the environments of an app on a target', {
    params: { app: appName },
    response: targetApp,
    errors: [...OF_TARGET, 'BAD_FIELD'],
  }),
  targetPlan: POST(`${PLACE}/plan`, 'Plan a deploy to a target; nothing is changed', {
    params: place,
    body: targetDeployCreate.pick({ source: true, withKey: true }),
    bodyLimit: GRAPH_BODY,
    response: targetPlan,
    errors: [...OF_TARGET, ...READ_BODY, 'TARGET_DEPLOY_NOT_FOUND', 'KEY_IN_APP'],
  }),
  targetDeployList: GET(`${PLACE}/deploys`, 'List the successful deploys to an environment of a target, newest first', {
    params: place,
    response: z.object({ deploys: z.array(targetRecord) }),
    errors: ['TARGET_NOT_FOUND', 'BAD_FIELD'],
  }),
  targetDeployCreate: POST(`${PLACE}/deploys`, 'Deploy to a target', {
    params: place,
    body: targetDeployCreate,
    bodyLimit: GRAPH_BODY,
    response: targetDeploy,
    errors: [
      ...(['TARGET_NOT_FOUND', 'SECRET_LOST', ...READ_BODY, 'ARTIFACT_NOT_FOUND', 'TARGET_DEPLOY_NOT_FOUND'] as const),
      ...(['KEY_IN_APP', 'TARGET_BUSY', 'STOPPING'] as const),
    ],
    source: 'docs/spec/platform.md, 8',
  }),
  targetUndeploy: POST(
    `${PLACE}/undeploy`,
    'Delete an environment on a target with its endpoints, and its app if that has no other environment',
    {
      params: place,
      response: z.object({
        deleted: z.array(z.string()).describe('endpoints that were deleted'),
        app: targetApp.describe('what the target has of the app afterwards'),
      }),
      errors: [...OF_TARGET, 'BAD_FIELD', 'TARGET_BUSY'],
      source: 'docs/spec/platform.md, 8',
    },
  ),
  targetDeployRead: GET('/api/target-deploys/:deployId', 'Read the progress of a deploy to a target', {
    query: { follow: z.enum(['true', 'false']).optional().describe('as server-sent events, until it is over') },
    response: targetDeploy,
    errors: ['TARGET_DEPLOY_NOT_FOUND', 'BAD_FIELD'],
  }),
  targetDeployCancel: POST(
    '/api/target-deploys/:deployId/cancel',
    'Cancel a deploy to a target; releases that are already active there stay',
    { response: targetDeploy, errors: ['TARGET_DEPLOY_NOT_FOUND'] },
  ),
} as const satisfies Record<string, Route>
