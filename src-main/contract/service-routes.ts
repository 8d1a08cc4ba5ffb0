/**
 * The routes of the listener for users that are part of no API: following all changes, what describes the APIs, signing
 * in, and packages for scripts. They are rows so that the router reads them as any other, and stand beside the tables
 * of the APIs because each has a gate of its own and the OpenAPI document leaves them out.
 */
import { z } from 'zod'
import { EFFECTS } from './agents.ts'
import { limit } from './limits.ts'
import { serviceEvent } from './live.ts'
import type { Route } from './routes.ts'

/** How much of an artifact has come, in bytes. */
export const uploadStatus = z.object({ received: z.number().int(), total: z.number().int() })

/** How much of an artifact has come, in bytes. */
export type UploadStatus = z.infer<typeof uploadStatus>

const html = z.string().describe('HTML')

/** The rows. Source of those of packages: PEP 503, the form that pip reads. */
export const SERVICE_ROUTES = {
  events: {
    methods: ['GET'],
    path: '/events',
    summary: 'Follow all changes as server-sent events; `endpoint` narrows them',
    // Any text: what counts first is the header Last-Event-ID, which is checked by the same rule.
    query: { endpoint: z.string().optional(), lastEventId: z.string().optional() },
    response: serviceEvent,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  metrics: {
    methods: ['GET'],
    path: '/metrics',
    summary:
      'Metrics for Prometheus, in its text form or as OpenMetrics, as the scraper accepts; for a key that may read',
    response: z.string(),
    errors: [],
    source: 'docs/spec/monitoring.md, 1',
  },
  openApi: {
    methods: ['GET'],
    path: '/openapi.json',
    summary: 'The OpenAPI document of the job API and the management API',
    response: z.looseObject({}),
    errors: [],
    source: 'ours',
  },
  stateManager: {
    methods: ['POST'],
    path: '/graphql',
    summary: 'Where the endpoints of apps are; by POST alone, as any page can make a browser send a GET',
    // Without `body`: what is wrong with a query is said in the form of GraphQL.
    bodyLimit: { bytes: limit('appQueryBytes'), name: 'a query' },
    response: z.looseObject({}),
    errors: ['BODY_TOO_LARGE', 'UNSUPPORTED_ENCODING'],
    source: 'docs/spec/app-deploy.md, 8',
  },
  upload: {
    methods: ['PUT'],
    path: '/uploads/:uploadId',
    summary: 'Send an artifact to an address that was given out for it; the address is the key',
    params: { uploadId: z.string().max(100) },
    bodyType: 'application/gzip',
    response: z.undefined(),
    // With Content-Range it goes on with what came before.
    errors: ['UPLOAD_UNKNOWN', 'UPLOAD_OFFSET', 'UPLOAD_TOO_LARGE', 'UPLOAD_DAMAGED', 'DISK_FULL', 'BAD_FIELD'],
    source: 'docs/spec/platform.md, 6; ours for Content-Range',
  },
  uploadStatus: {
    methods: ['GET'],
    path: '/uploads/:uploadId',
    summary: 'How much of an artifact has come to such an address; the address is the key',
    params: { uploadId: z.string().max(100) },
    response: uploadStatus,
    errors: ['UPLOAD_UNKNOWN'],
    source: 'ours: an interrupted upload resumes',
  },
  agents: {
    methods: ['POST'],
    path: '/mcp',
    summary: 'A message of a coding agent (Model Context Protocol, Streamable HTTP without sessions)',
    // As the tools that are offered depend on the role, any key that may read is let in.
    role: 'read',
    query: { allow: z.enum(EFFECTS, `must be one of ${EFFECTS.join(', ')}`).default('reads') },
    // One message; what is in it is the SDK's to check. Lists of them are of an older version of the protocol.
    body: z.looseObject({ jsonrpc: z.literal('2.0') }),
    bodyLimit: { bytes: limit('mcpBodyBytes'), name: 'a message of an agent' },
    response: z.unknown(),
    errors: ['BAD_FIELD', 'NOT_JSON', 'BODY_TOO_LARGE', 'TOO_MANY_MESSAGES'],
    source: 'docs/spec/agents.md, 1',
  },
  signIn: {
    methods: ['GET'],
    path: '/sign-in',
    summary: 'Turn the code of a link into a session, and go on to a page',
    query: { code: z.string().default(''), to: z.string().default('') },
    response: z.undefined(),
    errors: [],
    source: 'ours: one-time link',
  },
  packageList: {
    methods: ['GET'],
    path: '/simple/',
    summary: 'List the Python packages that scripts import',
    response: html,
    errors: [],
    source: 'PEP 503',
  },
  packageFiles: {
    methods: ['GET'],
    path: '/simple/:project/',
    summary: 'List the files of a package',
    response: html,
    errors: [],
    source: 'PEP 503',
  },
  packageFile: {
    methods: ['GET'],
    path: '/simple/:project/:file',
    summary: 'Read a file of a package',
    response: z.instanceof(Uint8Array),
    errors: [],
    source: 'PEP 503',
  },
} as const satisfies Record<string, Route>
