/** The routes of apps: artifacts, environments, releases and variables. Source: app-deploy, Deploy; names are ours. */
import { z } from 'zod'
import {
  appView,
  artifactName,
  artifactStatus,
  deployPlan,
  environmentDetail,
  environmentName,
  environmentView,
  releaseCreate,
  releaseProgress,
  releaseView,
  variablesUpdate,
  variableView,
} from './app.ts'
import { manifest } from './manifest.ts'
import type { Route } from './routes.ts'

const done = z.object({ ok: z.literal(true) })
const bytes = z
  .string()
  .regex(/^\d{1,13}$/, 'must be a number of bytes')
  .transform(Number)

/** Part of the management API. */
export const DEPLOY_ROUTES = {
  artifactRead: {
    methods: ['GET'],
    path: '/api/artifacts/:artifact',
    summary: 'How much of an artifact is here',
    answer: artifactStatus,
    errors: ['BAD_FIELD'],
    source: 'issue 5: chunked and resumable',
  },
  artifactWrite: {
    methods: ['PUT'],
    path: '/api/artifacts/:artifact',
    summary: 'Send the next part of an artifact; the last part checks its hash',
    bodyType: 'application/octet-stream',
    query: { offset: bytes.describe('bytes sent before'), total: bytes.describe('bytes in all') },
    answer: artifactStatus,
    errors: ['BAD_FIELD', 'BODY_TOO_LARGE', 'UPLOAD_TOO_LARGE', 'UPLOAD_OFFSET', 'UPLOAD_DAMAGED', 'DISK_FULL'],
    source: 'issue 5: chunked and resumable',
  },
  appList: {
    methods: ['GET'],
    path: '/api/apps',
    summary: 'List apps with their environments',
    answer: z.object({ apps: z.array(appView) }),
    errors: [],
    source: 'app-deploy, Commands',
  },
  appRead: {
    methods: ['GET'],
    path: '/api/apps/:app',
    summary: 'Read an app',
    answer: appView,
    errors: ['APP_NOT_FOUND'],
    source: 'app-deploy, Commands',
  },
  appDelete: {
    methods: ['DELETE'],
    path: '/api/apps/:app',
    summary: 'Delete an app: all its environments, endpoints and releases',
    answer: done,
    errors: ['APP_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'app-deploy, Commands',
  },
  environmentCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments',
    summary: 'Make an environment, and its app if it is missing',
    body: z.strictObject({ name: environmentName }),
    answer: environmentView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENVIRONMENT_EXISTS'],
    source: 'app-deploy, Commands',
  },
  environmentRead: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment',
    summary: 'Read an environment: endpoints, variables without values, releases',
    answer: environmentDetail,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'app-deploy, Commands',
  },
  environmentDelete: {
    methods: ['DELETE'],
    path: '/api/apps/:app/environments/:environment',
    summary: 'Delete an environment with its endpoints, releases and variables',
    answer: done,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'app-deploy, Commands',
  },
  environmentUndeploy: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/undeploy',
    summary: 'Delete the endpoints of an environment; releases and variables stay',
    answer: z.object({ deleted: z.array(z.string()).describe('endpoints, as the app names them') }),
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'app-deploy, Commands',
  },
  variablesUpdate: {
    methods: ['PATCH'],
    path: '/api/apps/:app/environments/:environment/variables',
    summary: 'Set and remove variables; they are stored encrypted and reach workers with the next release',
    body: variablesUpdate,
    answer: z.object({
      variables: z.array(variableView),
      changed: z.boolean().describe('whether any differs from before'),
      unreleased: z.boolean().describe('whether workers of the active release have others'),
    }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'SECRET_LOST'],
    source: 'issue 5: secrets',
  },
  planCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/plan',
    summary: 'What a deploy of this manifest would do; nothing is changed',
    body: releaseCreate.pick({ git: true, runsOn: true, withoutImages: true }).extend({
      manifest,
      artifact: artifactName.describe('it need not be here yet; by it a change of code is known'),
    }),
    answer: deployPlan,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    source: 'app-deploy, Deploy',
  },
  releaseList: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases',
    summary: 'List releases, newest first',
    answer: z.object({ releases: z.array(releaseView) }),
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'app-deploy, Deploy',
  },
  releaseCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/releases',
    summary: 'Make a release: it becomes active when all its endpoints are ready, else nothing changes',
    body: releaseCreate,
    answer: releaseProgress,
    errors: [
      'NOT_JSON',
      'BAD_FIELD',
      'ARTIFACT_NOT_FOUND',
      'RELEASE_NOT_FOUND',
      'NOT_DEPLOYED',
      'DEPLOY_RUNNING',
      'STOPPING',
    ],
    source: 'app-deploy, Deploy',
  },
  releaseRead: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases/:number',
    summary: 'A release and how far it is',
    query: { follow: z.enum(['true', 'false']).optional().describe('as server-sent events, until it is decided') },
    answer: releaseProgress,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
    source: 'app-deploy, Deploy',
  },
  releasePlan: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases/:number/plan',
    summary: 'What going back to this release would do; nothing is changed',
    answer: deployPlan,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
    source: 'ours, because who goes back wants to know what changes, as who deploys',
  },
  releaseCancel: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/releases/:number/cancel',
    summary: 'Give up a release that is being prepared',
    answer: releaseProgress,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND'],
    source: 'ours, because whoever stops a deploy wants it to end',
  },
} as const satisfies Record<string, Route>
