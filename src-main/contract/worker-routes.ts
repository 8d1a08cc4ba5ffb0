/** The routes that replace workers by hand. Source: issue 6, Workers. */
import { z } from 'zod'
import type { Route } from './routes.ts'

/** Who goes first: a new worker where there is a place for one more, else the old one, which makes the place. */
const replacementOrder = z.enum(['new first', 'old first'])

/** Who goes first. */
export type ReplacementOrder = z.infer<typeof replacementOrder>

/** Part of the management API. */
export const WORKER_ROUTES = {
  workerReplace: {
    methods: ['POST'],
    path: '/api/workers/:workerId/replace',
    summary: 'Put a new worker in the place of this one, which ends its jobs and leaves',
    answer: z.object({ order: replacementOrder }),
    errors: ['WORKER_NOT_FOUND', 'WORKER_LEAVES'],
    source: 'issue 6, Workers: replace',
  },
  endpointReplaceWorkers: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/replace-workers',
    summary: 'Replace all workers of an endpoint, one after the other',
    answer: z.object({ workers: z.array(z.string()).describe('ids of those that will leave') }),
    errors: [],
    source: 'issue 6, Workers: replace',
  },
} as const satisfies Record<string, Route>
