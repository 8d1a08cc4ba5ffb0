/** The routes that the web pages live on beside those of everybody: signing in and out, and all at one glance. */
import { z } from 'zod'
import { liveSnapshot, serviceFigures, sessionLink } from './live.ts'
import type { Route } from './routes.ts'

/** Part of the management API. */
export const PAGE_ROUTES = {
  sessionLinkCreate: {
    methods: ['POST'],
    path: '/api/session-links',
    summary: 'Make an address that signs a browser in: it works once, within a minute',
    answer: sessionLink,
    errors: [],
    source: 'issue 6: one-time link',
  },
  sessionEnd: {
    methods: ['DELETE'],
    path: '/api/session',
    summary: 'Sign out the browser that asks',
    answer: z.object({ ok: z.literal(true) }),
    errors: [],
    source: 'issue 6: HttpOnly same-site cookie',
  },
  liveRead: {
    methods: ['GET'],
    path: '/api/live',
    summary: 'All endpoints with their queues, and all workers, as they were after one event',
    answer: liveSnapshot,
    errors: [],
    source: 'ours, because events are changes and need something to change',
  },
  figuresRead: {
    methods: ['GET'],
    path: '/api/figures',
    summary: 'Figures of all endpoints over the last hour',
    answer: serviceFigures,
    errors: [],
    source: 'ours, because asking each endpoint for its metrics would take as many requests',
  },
} as const satisfies Record<string, Route>
