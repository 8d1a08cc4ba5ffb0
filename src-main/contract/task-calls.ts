/**
 * The addresses for calls of tasks by the platform's package: a call starts with GraphQL, and its token authenticates
 * it. Source: docs/spec/platform.md, 4.
 */
import { z } from 'zod'
import { limit } from './limits.ts'
import { GET, POST, type Route } from './routes.ts'

const timeout = z.number().min(0).nullish().describe('seconds that it may take from now on')
const sent = z.object({ status: z.string(), timeout: z.number().nullable() })
const params = { taskId: z.string().max(100) }
const source = 'docs/spec/platform.md, 4'

export const TASK_ROUTES = {
  taskPing: GET('/tasks/:taskId/ping', 'Whether there is such a call; it needs no token', {
    params,
    response: z.object({ status: z.string() }),
    errors: ['TASK_NOT_FOUND'],
    source,
  }),
  taskSubmit: POST('/tasks/:taskId/submit', 'Send the request of a call, once', {
    params,
    body: z.looseObject({ function_name: z.string(), timeout }),
    bodyLimit: { bytes: limit('runsyncBodyBytes'), name: 'a task' },
    passesPayloads: true,
    response: sent,
    errors: ['TASK_NOT_FOUND', 'UNAUTHORIZED', 'TASK_ALREADY_SENT', 'NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    source,
  }),
  taskTimeout: POST('/tasks/:taskId/timeout', 'Set the time that a call may take', {
    params,
    body: z.looseObject({ timeout: z.number().min(0) }),
    response: sent,
    errors: ['TASK_NOT_FOUND', 'UNAUTHORIZED', 'NOT_JSON', 'BAD_FIELD'],
    source,
  }),
  taskResult: GET('/tasks/:taskId/result', 'State of a task call, and its value or error once it has ended', {
    params,
    response: z.object({ status: z.enum(['IDLE', 'RUNNING', 'DONE']), response: z.unknown().optional() }),
    errors: ['TASK_NOT_FOUND', 'UNAUTHORIZED', 'PAYLOAD_LOST'],
    source,
  }),
} as const satisfies Record<string, Route>
