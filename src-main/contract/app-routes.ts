import { z } from 'zod'
import { CATALOG_ROUTES } from './catalog.ts'
import { DEPLOY_ROUTES } from './deploy-routes.ts'
import {
  changedEndpoint,
  endpointCreate,
  endpointUpdate,
  endpointView,
  endpointWithKey,
  usageReading,
  workerView,
} from './endpoint.ts'
import { FLEET_EVENT_ROUTES } from './fleet-events.ts'
import { JOB_ROUTES } from './job-routes.ts'
import { limit } from './limits.ts'
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
import { PAGE_ROUTES } from './page-routes.ts'
import { PROJECT_ROUTES } from './project-routes.ts'
import { PUBLISHED_ROUTES } from './published-routes.ts'
import { registryCreate, registryView } from './registry.ts'
import { REQUEST_ROUTES } from './request-routes.ts'
import type { Route } from './routes.ts'
import { SHELL_ROUTES } from './shell-routes.ts'
import { SYSTEM_ROUTES } from './system-routes.ts'
import { WORKER_ROUTES } from './worker-routes.ts'
import { WORKFLOW_ROUTES } from './workflow-routes.ts'

const count = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
const logQuery = {
  after: count.optional().describe('id of the last line already seen'),
  tail: count
    .refine((n) => n <= 10_000, 'must be at most 10000')
    .optional()
    .describe('only the newest lines'),
  follow: z.enum(['true', 'false']).optional().describe('keep the answer open as server-sent events'),
}
const done = z.object({ ok: z.literal(true) })

/** The management API. All of it takes the account key. Source: ours. */
export const APP_ROUTES = {
  ...CATALOG_ROUTES,
  ...DEPLOY_ROUTES,
  ...MODEL_ROUTES,
  ...PAGE_ROUTES,
  ...PROJECT_ROUTES,
  ...PUBLISHED_ROUTES,
  ...REQUEST_ROUTES,
  ...FLEET_EVENT_ROUTES,
  ...SYSTEM_ROUTES,
  ...JOB_ROUTES,
  ...SHELL_ROUTES,
  ...WORKER_ROUTES,
  ...WORKFLOW_ROUTES,
  info: {
    methods: ['GET'],
    path: '/api/info',
    summary: 'Where the service is and how it does',
    answer: serviceInfo,
    errors: [],
    source: 'ours',
  },
  endpointList: {
    methods: ['GET'],
    path: '/api/endpoints',
    summary: 'List endpoints',
    answer: z.object({ endpoints: z.array(endpointView) }),
    errors: [],
    source: 'ours',
  },
  endpointCreate: {
    methods: ['POST'],
    path: '/api/endpoints',
    summary: 'Create an endpoint; its key is shown this once',
    body: endpointCreate,
    answer: endpointWithKey,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_EXISTS', 'BODY_TOO_LARGE'],
    source: 'ours',
  },
  endpointRead: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId',
    summary: 'Read an endpoint',
    answer: endpointView,
    errors: [],
    source: 'ours',
  },
  endpointUpdate: {
    methods: ['PATCH'],
    path: '/api/endpoints/:endpointId',
    summary: 'Change settings of an endpoint; workers are replaced where the change needs it',
    body: endpointUpdate,
    answer: changedEndpoint,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_EXISTS'],
    source: 'ours',
  },
  endpointDelete: {
    methods: ['DELETE'],
    path: '/api/endpoints/:endpointId',
    summary: 'Stop the workers, cancel the jobs and delete the endpoint',
    answer: done,
    errors: [],
    source: 'ours',
  },
  endpointPause: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/pause',
    summary: 'Hand out no further job; jobs are still accepted and wait',
    answer: endpointView,
    errors: [],
    source: 'ours',
  },
  endpointResume: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/resume',
    summary: 'Hand out jobs again, and forget a crash loop',
    answer: endpointView,
    errors: [],
    source: 'ours',
  },
  endpointRotateKey: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/rotate-key',
    summary: 'Give the endpoint a new key; the old one is void at once',
    answer: endpointWithKey,
    errors: [],
    source: 'ours',
  },
  endpointLogs: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/logs',
    summary: 'Log lines of all workers of an endpoint',
    query: logQuery,
    answer: logPage,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  endpointRequests: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/requests',
    summary: 'Requests to a load-balanced endpoint that have ended, newest first',
    query: {
      status: z
        .string()
        .regex(/^[1-5](\d\d|xx)$/, 'must be a status like 502, or a class like 5xx')
        .optional(),
      limit: count.refine((n) => n >= 1 && n <= limit('listPageMax'), 'is out of range').optional(),
      cursor: count.optional(),
      after: logQuery.after,
      follow: logQuery.follow,
    },
    answer: proxiedRequestPage,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  endpointMetrics: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/metrics',
    summary: 'Queue, delay, execution and workers over time',
    query: {
      from: count.optional(),
      to: count.optional(),
      points: count.refine((n) => n >= 1 && n <= 1000, 'must be from 1 to 1000').optional(),
    },
    answer: metricsSeries,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  workerList: {
    methods: ['GET'],
    path: '/api/workers',
    summary: 'List workers',
    query: { endpoint: z.string().optional() },
    answer: z.object({ workers: z.array(workerView) }),
    errors: [],
    source: 'ours',
  },
  workerUsage: {
    methods: ['GET'],
    path: '/api/workers/usage',
    summary: 'What workers use now: CPU, memory, network, graphics cards; with follow=true as events every 2 s',
    query: {
      endpoint: z.string().optional(),
      after: count.optional().describe('time of the last reading already seen; those of the last minutes come first'),
      follow: z.enum(['true', 'false']).optional(),
    },
    answer: usageReading,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  workerStop: {
    methods: ['POST'],
    path: '/api/workers/:workerId/stop',
    summary: 'Stop a worker: its jobs may finish within the grace time',
    answer: done,
    errors: ['WORKER_NOT_FOUND'],
    source: 'ours',
  },
  workerLogs: {
    methods: ['GET'],
    path: '/api/workers/:workerId/logs',
    summary: 'Log lines of a worker',
    query: logQuery,
    answer: logPage,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  jobLogs: {
    methods: ['GET'],
    path: '/api/jobs/:jobId/logs',
    summary: 'Log lines of a job',
    query: logQuery,
    answer: logPage,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  deliveryResend: {
    methods: ['POST'],
    path: '/api/deliveries/:deliveryId/resend',
    summary: 'Send a webhook again',
    answer: webhookDelivery,
    errors: ['DELIVERY_NOT_FOUND'],
    source: 'job-api, Webhook',
  },
  registryList: {
    methods: ['GET'],
    path: '/api/registries',
    summary: 'List stored credentials of image registries, without passwords',
    answer: z.object({ registries: z.array(registryView) }),
    errors: ['SECRET_LOST'],
    source: 'ours',
  },
  registryPut: {
    methods: ['POST'],
    path: '/api/registries',
    summary: 'Store credentials of an image registry; those of the same name are replaced',
    body: registryCreate,
    answer: registryView,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    source: 'ours',
  },
  registryRemove: {
    methods: ['DELETE'],
    path: '/api/registries/:name',
    summary: 'Forget credentials of an image registry',
    answer: done,
    errors: ['REGISTRY_NOT_FOUND'],
    source: 'ours',
  },
  settingsRead: {
    methods: ['GET'],
    path: '/api/settings',
    summary: 'Read the settings',
    answer: serviceSettings,
    errors: [],
    source: 'ours',
  },
  settingsUpdate: {
    methods: ['PATCH'],
    path: '/api/settings',
    summary: 'Change settings',
    body: serviceSettingsUpdate,
    answer: serviceSettings,
    errors: ['NOT_JSON', 'BAD_FIELD'],
    source: 'ours',
  },
  keyRotate: {
    methods: ['POST'],
    path: '/api/account-key/rotate',
    summary: 'Make a new account key and write it to the key file',
    answer: z.object({ keyFile: z.string() }),
    errors: [],
    source: 'job-api, Authentication',
  },
} as const satisfies Record<string, Route>

/** Name of an operation of the management API. */
export type AppOperation = keyof typeof APP_ROUTES
