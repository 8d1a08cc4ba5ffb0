import { z } from 'zod'
import { limit, utf8Bytes } from './limits.ts'
import { DELETE, done, GET, POST, type Route, wholeNumber } from './routes.ts'

export const shellSize = z.strictObject({
  columns: z.number().int().min(1).max(1000),
  rows: z.number().int().min(1).max(1000),
})

export type ShellSize = z.infer<typeof shellSize>

const openedShell = z.object({
  shellId: z.string(),
  program: z.string().describe('what runs in the terminal: bash, or sh where the image has no bash'),
})

const shellInput = z.strictObject({
  text: z.string().refine((text) => utf8Bytes(text) <= limit('shellInputBytes'), 'is too long for one call'),
})

export const shellOutput = z.object({
  end: z.number().int().describe('bytes up to the end of this piece; send it back as `after` to continue'),
  data: z.string().describe('bytes of the terminal in base64'),
  ended: z.string().optional().describe('why the shell ended, as a person reads it'),
})

export type ShellOutput = z.infer<typeof shellOutput>

// A shell needs only HTTP, with events out and one input call at a time; it can run anything in the container, so
// account key or session.

export const SHELL_ROUTES = {
  shellOpen: POST(
    '/api/workers/:workerId/shell',
    'Open a shell in the container of a worker; it ends with the worker, or a minute after it was last read',
    {
      body: shellSize,
      response: openedShell,
      errors: ['NOT_JSON', 'BAD_FIELD', 'WORKER_NOT_FOUND', 'SHELL_REFUSED', 'TOO_MANY_SHELLS'],
    },
  ),
  shellOutput: GET(
    '/api/shells/:shellId/output',
    'Read the output of a shell; with follow=true as events until it ends',
    {
      role: 'deploy',
      query: {
        after: wholeNumber.optional().describe('bytes already seen'),
        follow: z.enum(['true', 'false']).optional(),
      },
      response: shellOutput,
      errors: ['BAD_FIELD', 'SHELL_NOT_FOUND'],
    },
  ),
  shellInput: POST(
    '/api/shells/:shellId/input',
    'Type into a shell; send the next text after the response, to preserve the order',
    { isStep: true, body: shellInput, response: done, errors: ['NOT_JSON', 'BAD_FIELD', 'SHELL_NOT_FOUND'] },
  ),
  shellResize: POST('/api/shells/:shellId/size', 'Change the size of the terminal of a shell', {
    isStep: true,
    body: shellSize,
    response: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'SHELL_NOT_FOUND'],
  }),
  shellClose: DELETE('/api/shells/:shellId', 'End a shell and everything that runs in it', {
    response: done,
    errors: ['SHELL_NOT_FOUND'],
  }),
} as const satisfies Record<string, Route>

/** Which goes first: a new worker if there is a slot for it, otherwise the old one, which frees its slot. */
const replacementOrder = z.enum(['new first', 'old first'])

export type ReplacementOrder = z.infer<typeof replacementOrder>

export const WORKER_MANAGEMENT_ROUTES = {
  workerReplace: POST('/api/workers/:workerId/replace', 'Replace a worker by a new one; it finishes its jobs first', {
    response: z.object({ order: replacementOrder }),
    errors: ['WORKER_NOT_FOUND', 'WORKER_LEAVES'],
  }),
  endpointReplaceWorkers: POST(
    '/api/endpoints/:endpointId/replace-workers',
    'Replace all workers of an endpoint, one after the other',
    { response: z.object({ workers: z.array(z.string()).describe('ids of the workers that will stop') }) },
  ),
} as const satisfies Record<string, Route>
