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
import { DELETE, done, GET, PATCH, POST, PUT, type Route } from './routes.ts'

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
  artifactRead: GET('/api/artifacts/:artifact', 'Read how much of an artifact has been received', {
    params: { artifact: artifactName },
    response: artifactStatus,
    errors: ['BAD_FIELD'],
  }),
  artifactWrite: PUT('/api/artifacts/:artifact', 'Send the next part of an artifact; the last part checks its hash', {
    isStep: true,
    bodyType: 'application/octet-stream',
    params: { artifact: artifactName },
    bodyLimit: { bytes: limit('artifactPartBytes'), name: 'a part of an artifact' },
    query: { offset: bytes.describe('bytes already sent'), total: bytes.describe('bytes in total') },
    response: artifactStatus,
    errors: ['BAD_FIELD', 'BODY_TOO_LARGE', 'UPLOAD_TOO_LARGE', 'UPLOAD_OFFSET', 'UPLOAD_DAMAGED', 'DISK_FULL'],
  }),
  appList: GET('/api/apps', 'List apps with their environments', {
    response: z.object({ apps: z.array(appView) }),
    source: 'docs/spec/app-deploy.md, 9',
  }),
  appRead: GET('/api/apps/:app', 'Read an app', {
    response: appView,
    errors: ['APP_NOT_FOUND'],
    source: 'docs/spec/app-deploy.md, 9',
  }),
  appDelete: DELETE('/api/apps/:app', 'Delete an app: all its environments, endpoints and releases', {
    response: done,
    errors: ['APP_NOT_FOUND', 'DEPLOY_RUNNING'],
    source: 'docs/spec/app-deploy.md, 9',
  }),
  environmentCreate: POST('/api/apps/:app/environments', 'Create an environment, and its app if needed', {
    params: { app: appName },
    body: z.strictObject({ name: environmentName, machine: machineChoice.optional() }),
    response: environmentView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENVIRONMENT_EXISTS'],
    source: 'docs/spec/app-deploy.md, 9',
  }),
  environmentRead: GET(
    '/api/apps/:app/environments/:environment',
    'Read an environment: endpoints, variables without values, releases',
    {
      response: environmentDetail,
      errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
      source: 'docs/spec/app-deploy.md, 9',
    },
  ),
  environmentUpdate: PATCH(
    '/api/apps/:app/environments/:environment',
    'Set the machine for the workers of an environment; they move with the next release',
    {
      body: z.strictObject({ machine: machineChoice }),
      response: environmentDetail,
      errors: ['NOT_JSON', 'BAD_FIELD', 'APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
      source: 'docs/spec/machines.md, 6',
    },
  ),
  environmentDelete: DELETE(
    '/api/apps/:app/environments/:environment',
    'Delete an environment with its endpoints, releases and variables',
    {
      response: done,
      errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
      source: 'docs/spec/app-deploy.md, 9',
    },
  ),
  environmentUndeploy: POST(
    '/api/apps/:app/environments/:environment/undeploy',
    'Delete the endpoints of an environment; releases and variables stay',
    {
      response: z.object({ deleted: z.array(z.string()).describe('endpoints, as the app names them') }),
      errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'DEPLOY_RUNNING'],
      source: 'docs/spec/app-deploy.md, 9',
    },
  ),
  variablesUpdate: PATCH(
    '/api/apps/:app/environments/:environment/variables',
    'Set and remove variables; they are stored encrypted and reach workers with the next release',
    {
      body: variablesUpdate,
      response: z.object({
        variables: z.array(variableView),
        changed: z.boolean().describe('whether any differs from before'),
        unreleased: z.boolean().describe('whether workers of the active release have others'),
      }),
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'SECRET_LOST'],
    },
  ),
  planCreate: POST('/api/apps/:app/environments/:environment/plan', 'Plan a deploy; nothing is changed', {
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
  }),
  releaseList: GET('/api/apps/:app/environments/:environment/releases', 'List releases, newest first', {
    response: z.object({ releases: z.array(releaseView) }),
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    source: 'docs/spec/app-deploy.md, 7',
  }),
  releaseCreate: POST(
    '/api/apps/:app/environments/:environment/releases',
    'Create a release: it becomes active when all its endpoints are ready, else nothing changes',
    {
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
  ),
  releaseRead: GET('/api/apps/:app/environments/:environment/releases/:number', 'Read a release and its progress', {
    params: { number: releaseNumber },
    query: { follow: z.enum(['true', 'false']).optional().describe('as server-sent events, until it is decided') },
    response: releaseProgress,
    errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
    source: 'docs/spec/app-deploy.md, 7',
  }),
  releasePlan: GET(
    '/api/apps/:app/environments/:environment/releases/:number/plan',
    'Plan a rollback to this release; nothing is changed',
    {
      params: { number: releaseNumber },
      response: deployPlan,
      errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND', 'BAD_FIELD'],
      source: 'ours, because who goes back wants to know what changes, as who deploys',
    },
  ),
  releaseCancel: POST(
    '/api/apps/:app/environments/:environment/releases/:number/cancel',
    'Cancel a release that is being prepared',
    {
      params: { number: releaseNumber },
      response: releaseProgress,
      errors: ['APP_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RELEASE_NOT_FOUND'],
      source: 'ours, so that a stopped deploy ends soon',
    },
  ),
} as const satisfies Record<string, Route>
