import { z } from 'zod'
import {
  appName,
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
import { limit } from './limits.ts'
import { machineChoice } from './machines.ts'
import { manifest } from './manifest.ts'
import { GRAPH_BODY } from './published.ts'
import { done, type Route } from './routes.ts'

// A graph in a manifest is one text.
const MANIFEST_BODY = { ...GRAPH_BODY, values: limit('settingValues') }

// Only for things that may not exist yet; elsewhere an invalid name simply is not found.
const place = { app: appName, environment: environmentName }
const releaseNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
const bytes = z
  .string()
  .regex(/^\d{1,13}$/, 'must be a number of bytes')
  .transform(Number)

export const DEPLOY_ROUTES = {
  artifactRead: {
    methods: ['GET'],
    path: '/api/artifacts/:artifact',
    summary: 'Read how much of an artifact has been received',
    params: { artifact: artifactName },
    response: artifactStatus,
    errors: ['BAD_FIELD'],
  },
  artifactWrite: {
    methods: ['PUT'],
    path: '/api/artifacts/:artifact',
    summary: 'Send the next part of an artifact; the last part checks its hash',
    isStep: true,
    bodyType: 'application/octet-stream',
    params: { artifact: artifactName },
    bodyLimit: { bytes: limit('artifactPartBytes'), name: 'a part of an artifact' },
    query: { offset: bytes.describe('bytes already sent'), total: bytes.describe('bytes in total') },
    response: artifactStatus,
    errors: ['BAD_FIELD', 'BODY_TOO_LARGE', 'UPLOAD_TOO_LARGE', 'UPLOAD_OFFSET', 'UPLOAD_DAMAGED', 'DISK_FULL'],
  },
  appList: {
    methods: ['GET'],
    path: '/api/apps',
    summary: 'List apps with their environments',
    response: z.object({ apps: z.array(appView) }),
    source: 'docs/spec/app-deploy.md, 9',
  },
  appRead: {
    methods: ['GET'],
    path: '/api/apps/:app',
    summary: 'Read an app',
    response: appView,
    errors: ['APP_NOT_FOUND'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  appDelete: {
    methods: ['DELETE'],
    path: '/api/apps/:app',
    summary: 'Delete an app: all its environments, endpoints and releases',
    response: done,
    errors: ['APP_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  environmentCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments',
    summary: 'Create an environment, and its app if needed',
    params: { app: appName },
    body: z.strictObject({ name: environmentName, machine: machineChoice.optional() }),
    response: environmentView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENVIRONMENT_EXISTS'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  environmentRead: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment',
    summary: 'Read an environment: endpoints, variables without values, releases',
    response: environmentDetail,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  environmentUpdate: {
    methods: ['PATCH'],
    path: '/api/apps/:app/environments/:environment',
    summary: 'Set the machine for the workers of an environment; they move with the next release',
    body: z.strictObject({ machine: machineChoice }),
    response: environmentDetail,
    errors: ['NOT_JSON', 'BAD_FIELD', 'APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'docs/spec/machines.md, 6',
  },
  environmentDelete: {
    methods: ['DELETE'],
    path: '/api/apps/:app/environments/:environment',
    summary: 'Delete an environment with its endpoints, releases and variables',
    response: done,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  environmentUndeploy: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/undeploy',
    summary: 'Delete the endpoints of an environment; releases and variables stay',
    response: z.object({ deleted: z.array(z.string()).describe('endpoints, as the app names them') }),
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'docs/spec/app-deploy.md, 9',
  },
  variablesUpdate: {
    methods: ['PATCH'],
    path: '/api/apps/:app/environments/:environment/variables',
    summary: 'Set and remove variables; they are stored encrypted and reach workers with the next release',
    body: variablesUpdate,
    response: z.object({
      variables: z.array(variableView),
      changed: z.boolean().describe('whether any differs from before'),
      unreleased: z.boolean().describe('whether workers of the active release have others'),
    }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'SECRET_LOST'],
  },
  planCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/plan',
    summary: 'Plan a deploy; nothing is changed',
    isStep: true,
    params: place,
    bodyLimit: MANIFEST_BODY,
    body: releaseCreate.pick({ git: true, runsOn: true, machine: true, withoutImages: true }).extend({
      manifest,
      artifact: artifactName
        .optional()
        .describe('it need not be uploaded yet; it tells whether the code changes. Missing: the manifest of an image'),
    }),
    response: deployPlan,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'SCHEDULES_NOT_SUPPORTED'],
    source: 'docs/spec/app-deploy.md, 7',
  },
  releaseList: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases',
    summary: 'List releases, newest first',
    response: z.object({ releases: z.array(releaseView) }),
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'docs/spec/app-deploy.md, 7',
  },
  releaseCreate: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/releases',
    summary: 'Create a release: it becomes active when all its endpoints are ready, else nothing changes',
    params: place,
    body: releaseCreate,
    bodyLimit: MANIFEST_BODY,
    response: releaseProgress,
    errors: [
      'NOT_JSON',
      'BAD_FIELD',
      'ARTIFACT_NOT_FOUND',
      'RELEASE_NOT_FOUND',
      'NOT_DEPLOYED',
      'DEPLOY_RUNNING',
      'SCHEDULES_NOT_SUPPORTED',
      'STOPPING',
    ],
    source: 'docs/spec/app-deploy.md, 7',
  },
  releaseRead: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases/:number',
    summary: 'Read a release and its progress',
    params: { number: releaseNumber },
    query: { follow: z.enum(['true', 'false']).optional().describe('as server-sent events, until it is decided') },
    response: releaseProgress,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
    source: 'docs/spec/app-deploy.md, 7',
  },
  releasePlan: {
    methods: ['GET'],
    path: '/api/apps/:app/environments/:environment/releases/:number/plan',
    summary: 'Plan a rollback to this release; nothing is changed',
    params: { number: releaseNumber },
    response: deployPlan,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
    source: 'ours, because who goes back wants to know what changes, as who deploys',
  },
  releaseCancel: {
    methods: ['POST'],
    path: '/api/apps/:app/environments/:environment/releases/:number/cancel',
    summary: 'Cancel a release that is being prepared',
    params: { number: releaseNumber },
    response: releaseProgress,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND'],
    source: 'ours, because whoever stops a deploy wants it to end',
  },
} as const satisfies Record<string, Route>
