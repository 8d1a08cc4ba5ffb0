/** Requests that people keep under a name, to send them again. */
import { z } from 'zod'
import { limit } from './limits.ts'

/** How a request is sent: as a job in one of three ways, or as it is to a load-balanced endpoint. */
const SEND_OPERATIONS = ['run', 'runsync', 'stream', 'request'] as const

/** Methods that are offered for requests to load-balanced endpoints. */
export const SEND_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** A request as it stands in the editor. Texts, because what is being written need not be valid yet. */
export const requestDraft = z.strictObject({
  operation: z.enum(SEND_OPERATIONS),
  body: z.string().max(limit('managementBodyBytes')).describe('text of the editor'),
  method: z.enum(SEND_METHODS).optional().describe('of a request to a load-balanced endpoint, as are the next three'),
  path: z.string().max(4096).optional().describe('from its / on, with the query'),
  headers: z.string().max(16_384).optional().describe('lines of `Name: value`'),
  bodyKind: z.enum(['none', 'json', 'text']).optional(),
})

/** A request as it stands in the editor. */
export type RequestDraft = z.infer<typeof requestDraft>

const name = z.string().trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters')

/** A request with a name. Names are unique within an endpoint. */
export const savedRequest = z.object({
  id: z.string(),
  name,
  request: requestDraft,
  updatedAt: z.number().int().describe('ms since the epoch'),
})

/** A request with a name. */
export type SavedRequest = z.infer<typeof savedRequest>

/** Body of 'save a request'. */
export const savedRequestCreate = z.strictObject({ name, request: requestDraft })

/** Body of 'change a saved request': its name, the request, or both. */
export const savedRequestUpdate = z.strictObject({ name: name.optional(), request: requestDraft.optional() })

/** What the inputs of the newest jobs look like, or those that a published graph takes. */
export const inputHints = z.object({
  fields: z.array(
    z.object({
      path: z.string().describe('names from the input on, with dots between them; lists add none'),
      values: z.array(z.string()).describe('JSON texts that were seen, newest first'),
    }),
  ),
  example: z
    .string()
    .optional()
    .describe('JSON text of the newest input, or one to begin with; missing where there is none, or it is large'),
})

/** What the inputs of the newest jobs look like. */
export type InputHints = z.infer<typeof inputHints>
