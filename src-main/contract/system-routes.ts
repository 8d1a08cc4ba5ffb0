/** The routes of the system page, the status bar and the sessions of browsers. Source: issue 6, item 5; names are ours. */
import { z } from 'zod'
import type { Route } from './routes.ts'
import { diskClean, diskView, doctorFixRequest, doctorReport, machineView, versionView } from './system.ts'

/** Part of the management API. */
export const SYSTEM_ROUTES = {
  doctorRead: {
    methods: ['GET'],
    path: '/api/doctor',
    summary: 'Check what the service needs, and how to fix what is missing',
    answer: doctorReport,
    errors: [],
    source: 'issue 6: doctor with fix buttons',
  },
  doctorFix: {
    methods: ['POST'],
    path: '/api/doctor/fix',
    summary: 'Do a fix that a row of the checks offers; the answer comes when it is done',
    body: doctorFixRequest,
    answer: z.object({ done: z.string().describe('what was done, one sentence') }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'NOT_DONE'],
    source: 'issue 6: doctor with fix buttons',
  },
  machineRead: {
    methods: ['GET'],
    path: '/api/machine',
    summary: 'The Docker engine, the graphics cards with who holds them, the places for workers',
    query: { fresh: z.enum(['true', 'false']).optional().describe('read the cards anew') },
    answer: machineView,
    errors: ['BAD_FIELD'],
    source: 'interface.md, status bar',
  },
  versionsRead: {
    methods: ['GET'],
    path: '/api/versions',
    summary: 'Versions of the service and of what it stands on',
    answer: z.object({ versions: z.array(versionView) }),
    errors: [],
    source: 'interface.md, System',
  },
  diskRead: {
    methods: ['GET'],
    path: '/api/disk',
    summary: 'What takes disk, by kind, and what cleaning up would free',
    answer: diskView,
    errors: [],
    source: 'interface.md, System',
  },
  diskClean: {
    methods: ['POST'],
    path: '/api/disk/clean',
    summary: 'Remove what nobody needs of a kind; the answer comes when it is done',
    body: diskClean,
    answer: z.object({ freedBytes: z.number().int() }),
    errors: ['NOT_JSON', 'BAD_FIELD', 'NOT_DONE'],
    source: 'interface.md, System',
  },
  sessionList: {
    methods: ['GET'],
    path: '/api/sessions',
    summary: 'How many browsers are signed in, and where the account key is that signs them in',
    answer: z.object({ open: z.number().int(), keyFile: z.string() }),
    errors: [],
    source: 'issue 6: HttpOnly same-site cookie',
  },
  sessionsEnd: {
    methods: ['DELETE'],
    path: '/api/sessions',
    summary: 'Sign out all browsers, also the one that asks',
    answer: z.object({ ok: z.literal(true) }),
    errors: [],
    source: 'issue 6: HttpOnly same-site cookie',
  },
} as const satisfies Record<string, Route>
