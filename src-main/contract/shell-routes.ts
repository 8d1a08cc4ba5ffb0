/**
 * The routes of shells. As all of the management API they take the account key or a session: whoever may open a shell may
 * run anything in the container. Output comes as events and input as calls, one after the other, so that a shell needs
 * nothing beside HTTP.
 */
import { z } from 'zod'
import type { Route } from './routes.ts'
import { openedShell, shellInput, shellOutput, shellSize } from './shell.ts'

const done = z.object({ ok: z.literal(true) })
const offset = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** Part of the management API. */
export const SHELL_ROUTES = {
  shellOpen: {
    methods: ['POST'],
    path: '/api/workers/:workerId/shell',
    summary: 'Open a shell in the container of a worker; it ends with the worker, or a minute after its last reader',
    body: shellSize,
    answer: openedShell,
    errors: ['NOT_JSON', 'BAD_FIELD', 'WORKER_NOT_FOUND', 'SHELL_REFUSED', 'TOO_MANY_SHELLS'],
    source: 'issue 6, Workers: a shell in the container',
  },
  shellOutput: {
    methods: ['GET'],
    path: '/api/shells/:shellId/output',
    summary: 'What a shell wrote; with follow=true as events until it ends',
    query: {
      after: offset.optional().describe('bytes already seen'),
      follow: z.enum(['true', 'false']).optional(),
    },
    answer: shellOutput,
    errors: ['BAD_FIELD', 'SHELL_NOT_FOUND'],
    source: 'ours',
  },
  shellInput: {
    methods: ['POST'],
    path: '/api/shells/:shellId/input',
    summary: 'Type into a shell; send the next text when this is answered, so that the order stays',
    body: shellInput,
    answer: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'SHELL_NOT_FOUND'],
    source: 'ours',
  },
  shellResize: {
    methods: ['POST'],
    path: '/api/shells/:shellId/size',
    summary: 'Change the size of the terminal of a shell',
    body: shellSize,
    answer: done,
    errors: ['NOT_JSON', 'BAD_FIELD', 'SHELL_NOT_FOUND'],
    source: 'ours',
  },
  shellClose: {
    methods: ['DELETE'],
    path: '/api/shells/:shellId',
    summary: 'End a shell with what runs in it',
    answer: done,
    errors: ['SHELL_NOT_FOUND'],
    source: 'ours',
  },
} as const satisfies Record<string, Route>
