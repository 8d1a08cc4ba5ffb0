/** The routes of what people send by hand: saved requests and load tests. */
import { z } from 'zod'
import { loadTest, loadTestCreate } from './load-tests.ts'
import type { Route } from './routes.ts'
import { inputHints, savedRequest, savedRequestCreate, savedRequestUpdate } from './saved-requests.ts'

const done = z.object({ ok: z.literal(true) })

/** Part of the management API. */
export const REQUEST_ROUTES = {
  savedRequestList: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/saved-requests',
    summary: 'List the saved requests of an endpoint by name',
    answer: z.object({ requests: z.array(savedRequest) }),
    errors: [],
    source: 'ours',
  },
  savedRequestCreate: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/saved-requests',
    summary: 'Save a request under a name; it goes with its endpoint',
    body: savedRequestCreate,
    answer: savedRequest,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'SAVED_REQUEST_EXISTS'],
    source: 'ours',
  },
  savedRequestUpdate: {
    methods: ['PATCH'],
    path: '/api/endpoints/:endpointId/saved-requests/:savedRequestId',
    summary: 'Rename a saved request, or replace it',
    body: savedRequestUpdate,
    answer: savedRequest,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'SAVED_REQUEST_NOT_FOUND', 'SAVED_REQUEST_EXISTS'],
    source: 'ours',
  },
  savedRequestDelete: {
    methods: ['DELETE'],
    path: '/api/endpoints/:endpointId/saved-requests/:savedRequestId',
    summary: 'Delete a saved request',
    answer: done,
    errors: ['SAVED_REQUEST_NOT_FOUND'],
    source: 'ours',
  },
  inputHintsRead: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/input-hints',
    summary: 'Fields and values of the newest inputs of an endpoint, for who writes the next one',
    answer: inputHints,
    errors: [],
    source: 'ours',
  },
  loadTestList: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/load-tests',
    summary: 'List the load tests of an endpoint, newest first',
    answer: z.object({ loadTests: z.array(loadTest) }),
    errors: [],
    source: 'ours',
  },
  loadTestCreate: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/load-tests',
    summary: 'Start a load test; one runs at a time, as two would measure each other',
    body: loadTestCreate,
    answer: loadTest,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_QUEUE_BASED', 'NOT_LOAD_BALANCED', 'LOAD_TEST_RUNNING'],
    source: 'ours',
  },
  loadTestRead: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/load-tests/:loadTestId',
    summary: 'Read a load test; with follow=true as events until it has ended',
    query: { follow: z.enum(['true', 'false']).optional() },
    answer: loadTest,
    errors: ['BAD_FIELD', 'LOAD_TEST_NOT_FOUND'],
    source: 'ours',
  },
  loadTestStop: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/load-tests/:loadTestId/stop',
    summary: 'Stop a load test: no further request is sent, and what has come is kept',
    answer: loadTest,
    errors: ['LOAD_TEST_NOT_FOUND'],
    source: 'ours',
  },
} as const satisfies Record<string, Route>
