/** Routes outside the APIs, each with its own auth and not in the OpenAPI document. */
import { z } from 'zod'
import { EFFECTS } from './agents.ts'
import { limit } from './limits.ts'
import { serviceEvent } from './live.ts'
import { GET, POST, PUT, type Route } from './routes.ts'

export const uploadStatus = z.object({ received: z.number().int(), total: z.number().int() })

export type UploadStatus = z.infer<typeof uploadStatus>

const html = z.string().describe('HTML')

/** Source of the package routes: PEP 503, the form that pip reads. */
export const SERVICE_ROUTES = {
  events: GET('/events', 'Follow changes of all endpoints, or of one, as server-sent events', {
    // Any text, because the header Last-Event-ID wins and is checked by the same rule.
    query: { endpoint: z.string().optional(), lastEventId: z.string().optional() },
    response: serviceEvent,
    errors: ['BAD_FIELD'],
  }),
  metrics: GET('/metrics', 'Read metrics for Prometheus, as text or as OpenMetrics; needs a key with the role read', {
    response: z.string(),
    source: 'docs/spec/monitoring.md, 1',
  }),
  openApi: GET('/openapi.json', 'Read the OpenAPI document of the job API and the management API', {
    response: z.looseObject({}),
  }),
  stateManager: POST('/graphql', 'Find the endpoints of apps (GraphQL)', {
    // Without `body`: errors of a query have the form of GraphQL.
    bodyLimit: { bytes: limit('appQueryBytes'), name: 'a query' },
    response: z.looseObject({}),
    errors: ['BODY_TOO_LARGE', 'UNSUPPORTED_ENCODING'],
    source: 'docs/spec/app-deploy.md, 8',
  }),
  upload: PUT('/uploads/:uploadId', 'Send an artifact to its upload address, which needs no key', {
    params: { uploadId: z.string().max(100) },
    bodyType: 'application/gzip',
    response: z.undefined(),
    // With Content-Range, the request continues an earlier upload of the artifact.
    errors: ['UPLOAD_UNKNOWN', 'UPLOAD_OFFSET', 'UPLOAD_TOO_LARGE', 'UPLOAD_DAMAGED', 'DISK_FULL', 'BAD_FIELD'],
    source: 'docs/spec/platform.md, 6; ours for Content-Range',
  }),
  uploadStatus: GET('/uploads/:uploadId', 'Read how much of an artifact has arrived at its upload address', {
    params: { uploadId: z.string().max(100) },
    response: uploadStatus,
    errors: ['UPLOAD_UNKNOWN'],
  }),
  agents: POST('/mcp', 'Send a message of a coding agent (Model Context Protocol, Streamable HTTP without sessions)', {
    // Any key that may read is admitted, because the offered tools depend on its role.
    role: 'read',
    query: { allow: z.enum(EFFECTS, `must be one of ${EFFECTS.join(', ')}`).default('reads') },
    // One message, whose content the SDK checks. Lists of messages belong to an older version of the protocol.
    body: z.looseObject({ jsonrpc: z.literal('2.0') }),
    bodyLimit: { bytes: limit('mcpBodyBytes'), name: 'a message of an agent' },
    response: z.unknown(),
    errors: ['BAD_FIELD', 'NOT_JSON', 'BODY_TOO_LARGE', 'TOO_MANY_MESSAGES'],
    source: 'docs/spec/agents.md, 1',
  }),
  signIn: GET('/sign-in', 'Sign in a browser with the code of a link, and redirect it to a page', {
    query: { code: z.string().default(''), to: z.string().default('') },
    response: z.undefined(),
  }),
  packageList: GET('/simple/', 'List the Python packages that scripts import', { response: html, source: 'PEP 503' }),
  packageFiles: GET('/simple/:project/', 'List the files of a package', { response: html, source: 'PEP 503' }),
  packageFile: GET('/simple/:project/:file', 'Read a file of a package', {
    response: z.instanceof(Uint8Array),
    source: 'PEP 503',
  }),
} as const satisfies Record<string, Route>
