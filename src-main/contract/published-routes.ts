/** The routes of published graphs. Source: image-workflows, Published graphs; names are ours. */
import { z } from 'zod'
import { publishedGraph, publishGraph } from './published.ts'
import type { Route } from './routes.ts'

const SOURCE = 'image-workflows, Published graphs'

/** Part of the management API. */
export const PUBLISHED_ROUTES = {
  publishedList: {
    methods: ['GET'],
    path: '/api/published-graphs',
    summary: 'List the published graphs, the last changed one first',
    answer: z.object({ graphs: z.array(publishedGraph) }),
    errors: [],
    source: SOURCE,
  },
  publishedCreate: {
    methods: ['POST'],
    path: '/api/published-graphs',
    summary: 'Publish a graph as an endpoint of its own, or the next version of one',
    body: publishGraph,
    answer: publishedGraph,
    errors: [
      'NOT_JSON',
      'BAD_FIELD',
      'BODY_TOO_LARGE',
      'NOT_A_WORKFLOW',
      'ENDPOINT_NOT_FOUND',
      'ENDPOINT_EXISTS',
      'TAKES_NO_WORKFLOWS',
    ],
    source: SOURCE,
  },
  publishedRead: {
    methods: ['GET'],
    path: '/api/published-graphs/:graphId',
    summary: 'Read a published graph, with the payload of the version that runs',
    answer: publishedGraph.extend({ payload: z.string(), document: z.string().optional() }),
    errors: ['ENDPOINT_NOT_FOUND'],
    source: SOURCE,
  },
  publishedUpdate: {
    methods: ['PATCH'],
    path: '/api/published-graphs/:graphId',
    summary: 'Let another version run, or another endpoint do the work',
    body: z.strictObject({ version: z.number().int().min(1).optional(), behind: z.string().optional() }),
    answer: publishedGraph,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'TAKES_NO_WORKFLOWS'],
    source: SOURCE,
  },
  publishedDocument: {
    methods: ['GET'],
    path: '/api/published-graphs/:graphId/openapi.json',
    summary: 'The OpenAPI document of a published graph, with its parameters',
    answer: z.unknown(),
    errors: ['ENDPOINT_NOT_FOUND'],
    source: SOURCE,
  },
} as const satisfies Record<string, Route>
