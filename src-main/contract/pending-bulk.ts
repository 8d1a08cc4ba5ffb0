/**
 * Bulk actions with undo: stored, delayed, then run, also after a restart of the service. Source: ours,
 * docs/spec/interface.md, 1.2.
 */
import { z } from 'zod'
import { jobBulkFields, jobBulkResult, namesOneKind, ONE_KIND } from './job-routes.ts'
import { limit } from './limits.ts'
import { DELETE, done, GET, moment, POST, type Route } from './routes.ts'

/** `interrupted`: the service stopped while it ran jobs again, so it is unknown which of them have new ones. */
const PENDING_BULK_STATES = ['waiting', 'running', 'done', 'undone', 'interrupted'] as const

const pendingBulk = z.object({
  id: z.string(),
  action: jobBulkFields.action,
  state: z.enum(PENDING_BULK_STATES),
  createdAt: moment,
  dueAt: moment.describe('when it is carried out, unless it is undone before'),
  result: jobBulkResult.optional().describe('once it is done'),
})

export type PendingBulkView = z.infer<typeof pendingBulk>

const longest = limit('pendingBulkMs')

const pendingBulkCreate = z
  .strictObject({
    ...jobBulkFields,
    delayMs: z
      .number(`must be a number from 0 to ${longest}`)
      .int('must be a whole number')
      .min(0, `must be from 0 to ${longest}`)
      .max(longest, `must be from 0 to ${longest}`)
      .describe('how long it can be undone'),
  })
  .refine(namesOneKind, ONE_KIND)

const PENDING = '/api/pending-bulk-actions/:actionId'

/** Part of the management API for bulk actions with undo. Source: ours. */
export const PENDING_BULK_ROUTES = {
  pendingBulkList: GET('/api/pending-bulk-actions', 'List the latest delayed bulk actions, newest first', {
    response: z.object({ actions: z.array(pendingBulk) }),
  }),
  pendingBulkCreate: POST(
    '/api/pending-bulk-actions',
    'Schedule a bulk retry, cancel or rerun that can be undone until it starts',
    {
      role: 'run',
      body: pendingBulkCreate,
      response: pendingBulk,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'TOO_MANY_PENDING_ACTIONS'],
    },
  ),
  pendingBulkRead: GET(PENDING, 'Read a delayed bulk action, with its result once it is done', {
    response: pendingBulk,
    errors: ['PENDING_ACTION_NOT_FOUND'],
  }),
  pendingBulkStart: POST(`${PENDING}/start`, 'Carry out a delayed bulk action now', {
    role: 'run',
    response: pendingBulk,
    errors: ['PENDING_ACTION_NOT_FOUND', 'PENDING_ACTION_OVER'],
  }),
  pendingBulkUndo: DELETE(PENDING, 'Undo a delayed bulk action: it is never carried out', {
    role: 'run',
    response: done,
    errors: ['PENDING_ACTION_NOT_FOUND', 'PENDING_ACTION_OVER'],
  }),
} as const satisfies Record<string, Route>
