import { z } from 'zod'
import { CATALOG_ROUTES } from './catalog.ts'
import { COMPARISON_ROUTES } from './compare.ts'
import { registryCreate, registryView } from './container.ts'
import { DEPLOY_ROUTES } from './deploy-routes.ts'
import {
  changedEndpoint,
  endpointCreate,
  endpointDependents,
  endpointUpdate,
  endpointView,
  endpointWithKey,
  usageReading,
  workerView,
} from './endpoint.ts'
import { FLEET_EVENT_ROUTES } from './fleet-events.ts'
import { IMAGE_BUILD_ROUTES } from './image-builds.ts'
import { BATCH_ROUTES, JOB_ROUTES } from './job-routes.ts'
import { KEY_ROUTES } from './keys.ts'
import { limit } from './limits.ts'
import { PAGE_ROUTES } from './live.ts'
import { MACHINE_ROUTES } from './machines.ts'
import {
  logPage,
  metricsSeries,
  proxiedRequestPage,
  serviceInfo,
  serviceSettings,
  serviceSettingsUpdate,
  webhookDelivery,
} from './management.ts'
import { MODEL_ROUTES } from './model-routes.ts'
import { packageWish } from './packages.ts'
import { PENDING_BULK_ROUTES } from './pending-bulk.ts'
import { POD_ROUTES } from './pods.ts'
import { PROJECT_ROUTES } from './project-routes.ts'
import { PUBLISHED_ROUTES } from './published.ts'
import { LOAD_TEST_ROUTES, REQUEST_ROUTES } from './requests.ts'
import { DELETE, done, GET, PATCH, POST, type Route, wholeNumber, wholeNumberTo } from './routes.ts'
import { SCHEDULE_ROUTES } from './schedules.ts'
import { SIGN_IN_ROUTES } from './sign-in.ts'
import { SYSTEM_ROUTES } from './system.ts'
import { TARGET_ROUTES } from './targets.ts'
import { WHAT_IF_ROUTES } from './what-if.ts'
import { WORKER_IMAGE_ROUTES } from './worker-image-routes.ts'
import { SHELL_ROUTES, WORKER_MANAGEMENT_ROUTES } from './workers.ts'
import { WORKFLOW_ROUTES } from './workflow-routes.ts'
import { endpointServer, endpointServerChange } from './workflows.ts'

const endpointServers = z.object({ servers: z.array(endpointServer) })

const logQuery = {
  after: wholeNumber.optional().describe('id of the last line already seen'),
  tail: wholeNumber
    .refine((n) => n <= 10_000, 'must be at most 10000')
    .optional()
    .describe('only the newest lines'),
  follow: z.enum(['true', 'false']).optional().describe('keep the response open as server-sent events'),
}

export const APP_TOPICS = {
  'The service': {
    ...SYSTEM_ROUTES,
    info: GET('/api/info', 'Read the address and state of the service', { response: serviceInfo }),
    settingsRead: GET('/api/settings', 'Read the settings', { response: serviceSettings }),
    settingsUpdate: PATCH('/api/settings', 'Change settings', {
      role: 'admin',
      body: serviceSettingsUpdate,
      response: serviceSettings,
      errors: ['NOT_JSON', 'BAD_FIELD'],
    }),
  },
  Apps: {
    ...DEPLOY_ROUTES,
    ...IMAGE_BUILD_ROUTES,
    ...PROJECT_ROUTES,
  },
  Endpoints: {
    endpointList: GET('/api/endpoints', 'List endpoints', { response: z.object({ endpoints: z.array(endpointView) }) }),
    endpointCreate: POST('/api/endpoints', 'Create an endpoint; its key is shown only once', {
      body: endpointCreate,
      response: endpointWithKey,
      errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_EXISTS', 'BODY_TOO_LARGE'],
    }),
    endpointRead: GET('/api/endpoints/:endpointId', 'Read an endpoint', { response: endpointView }),
    endpointUpdate: PATCH(
      '/api/endpoints/:endpointId',
      'Change settings of an endpoint; workers are replaced if needed',
      { body: endpointUpdate, response: changedEndpoint, errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_EXISTS'] },
    ),
    endpointInstall: POST(
      '/api/endpoints/:endpointId/install',
      'Install Python packages for the workers of an endpoint; reading the endpoint shows the progress',
      {
        body: z.strictObject({ packages: z.array(packageWish).min(1).max(50) }),
        response: endpointView,
        errors: ['NOT_JSON', 'BAD_FIELD', 'NOT_DONE'],
      },
    ),
    endpointServers: GET(
      '/api/endpoints/:endpointId/servers',
      'List the ComfyUI servers of an endpoint, what each lacks and runs',
      { response: endpointServers, source: 'docs/spec/image-workflows.md, 6.2' },
    ),
    endpointServerChange: POST(
      '/api/endpoints/:endpointId/servers',
      'Add, remove, drain or resume a ComfyUI server of an endpoint',
      {
        body: endpointServerChange,
        response: endpointServers.extend({
          warning: z.string().optional().describe('why no server answers at an address that was added'),
        }),
        errors: ['NOT_JSON', 'BAD_FIELD'],
        source: 'docs/spec/image-workflows.md, 6.2',
      },
    ),
    endpointDependents: GET('/api/endpoints/:endpointId/dependents', 'List what breaks if an endpoint is deleted', {
      response: endpointDependents,
    }),
    endpointDelete: DELETE('/api/endpoints/:endpointId', 'Stop the workers, cancel the jobs and delete the endpoint', {
      response: done.extend({ broke: endpointDependents.optional().describe('missing: nothing depended on it') }),
    }),
    endpointPause: POST(
      '/api/endpoints/:endpointId/pause',
      'Pause an endpoint: no job is started, new jobs are still accepted and wait',
      { response: endpointView },
    ),
    endpointResume: POST('/api/endpoints/:endpointId/resume', 'Resume an endpoint, and clear a crash loop', {
      response: endpointView,
    }),
    endpointRotateKey: POST(
      '/api/endpoints/:endpointId/rotate-key',
      'Create a new key for the endpoint; the old one stops working at once',
      { response: endpointWithKey },
    ),
    endpointLogs: GET('/api/endpoints/:endpointId/logs', 'Read the log of all workers of an endpoint', {
      query: logQuery,
      response: logPage,
      errors: ['BAD_FIELD'],
    }),
    endpointRequests: GET(
      '/api/endpoints/:endpointId/requests',
      'List the requests to a load-balanced endpoint that have ended, newest first',
      {
        query: {
          status: z
            .string()
            .regex(/^[1-5](\d\d|xx)$/, 'must be a status like 502, or a class like 5xx')
            .optional(),
          limit: wholeNumberTo(limit('listPageMax')).optional(),
          cursor: wholeNumber.optional(),
          after: logQuery.after,
          follow: logQuery.follow,
        },
        response: proxiedRequestPage,
        errors: ['BAD_FIELD'],
      },
    ),
    endpointMetrics: GET('/api/endpoints/:endpointId/metrics', 'Read queue, delay, execution and workers over time', {
      query: {
        from: wholeNumber.optional(),
        to: wholeNumber.optional(),
        points: wholeNumberTo(1000).optional(),
      },
      response: metricsSeries,
      errors: ['BAD_FIELD'],
    }),
    ...CATALOG_ROUTES,
    ...FLEET_EVENT_ROUTES,
  },
  Workers: {
    workerList: GET('/api/workers', 'List workers', {
      query: { endpoint: z.string().optional() },
      response: z.object({ workers: z.array(workerView) }),
    }),
    workerUsage: GET(
      '/api/workers/usage',
      'Read the current usage of workers: CPU, memory, network, GPUs; with follow=true as events every 2 s',
      {
        query: {
          endpoint: z.string().optional(),
          after: wholeNumber
            .optional()
            .describe('time of the last reading already seen; readings of the last minutes come first'),
          follow: z.enum(['true', 'false']).optional(),
        },
        response: usageReading,
        errors: ['BAD_FIELD'],
      },
    ),
    workerStop: POST('/api/workers/:workerId/stop', 'Stop a worker; its jobs get the grace time to finish', {
      response: done,
      errors: ['WORKER_NOT_FOUND'],
    }),
    workerLogs: GET('/api/workers/:workerId/logs', 'Read the log of a worker', {
      query: logQuery,
      response: logPage,
      errors: ['BAD_FIELD'],
    }),
    ...WORKER_MANAGEMENT_ROUTES,
    ...SHELL_ROUTES,
  },
  Pods: POD_ROUTES,
  Jobs: {
    ...JOB_ROUTES,
    jobLogs: GET('/api/jobs/:jobId/logs', 'Read the log of a job', {
      query: logQuery,
      response: logPage,
      errors: ['BAD_FIELD'],
    }),
    deliveryResend: POST('/api/deliveries/:deliveryId/resend', 'Send a webhook again', {
      role: 'run',
      response: webhookDelivery,
      errors: ['DELIVERY_NOT_FOUND'],
      source: 'docs/spec/job-api.md, 6',
    }),
    ...BATCH_ROUTES,
    ...SCHEDULE_ROUTES,
    ...PENDING_BULK_ROUTES,
  },
  'Image workflows': {
    ...WORKFLOW_ROUTES,
    ...PUBLISHED_ROUTES,
    ...MODEL_ROUTES,
    ...WORKER_IMAGE_ROUTES,
  },
  'Tests and comparisons': {
    ...COMPARISON_ROUTES,
    ...WHAT_IF_ROUTES,
    ...REQUEST_ROUTES,
    ...LOAD_TEST_ROUTES,
  },
  'Keys and other machines': {
    ...KEY_ROUTES,
    keyRotate: POST('/api/account-key/rotate', 'Create a new account key and write it to the key file', {
      role: 'admin',
      response: z.object({ keyFile: z.string() }),
      source: 'docs/spec/job-api.md, 9',
    }),
    ...SIGN_IN_ROUTES,
    registryList: GET('/api/registries', 'List stored credentials for image registries, without passwords', {
      response: z.object({ registries: z.array(registryView) }),
      errors: ['SECRET_LOST'],
    }),
    registryPut: POST(
      '/api/registries',
      'Store credentials for an image registry; they replace those of the same name',
      {
        role: 'admin',
        body: registryCreate,
        response: registryView,
        errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
      },
    ),
    registryRemove: DELETE('/api/registries/:name', 'Remove credentials for an image registry', {
      role: 'admin',
      response: done,
      errors: ['REGISTRY_NOT_FOUND'],
    }),
    ...MACHINE_ROUTES,
    ...TARGET_ROUTES,
  },
  Pages: {
    ...PAGE_ROUTES,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Route>>>>

/** The management API accepts the account key, or a named key with the row's role. */
export const APP_ROUTES = {
  ...APP_TOPICS['The service'],
  ...APP_TOPICS.Apps,
  ...APP_TOPICS.Endpoints,
  ...APP_TOPICS.Workers,
  ...APP_TOPICS.Pods,
  ...APP_TOPICS.Jobs,
  ...APP_TOPICS['Image workflows'],
  ...APP_TOPICS['Tests and comparisons'],
  ...APP_TOPICS['Keys and other machines'],
  ...APP_TOPICS.Pages,
}

export type AppOperation = keyof typeof APP_ROUTES
