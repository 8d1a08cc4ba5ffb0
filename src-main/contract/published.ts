/**
 * Published graphs: a graph as its own endpoint, with some node inputs as parameters. Values are JSON texts if
 * JavaScript numbers would round them. Source: docs/spec/image-workflows.md, 7.
 */
import { z } from 'zod'
import { limit } from './limits.ts'
import { GET, PATCH, POST, type Route } from './routes.ts'
import { workflowId } from './workflows.ts'

/** Types of parameters. `image`: bytes as base64 or a data URI, for a node that loads a picture. */
export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'choice', 'image'] as const

export type ParameterType = (typeof PARAMETER_TYPES)[number]

const number = z.string().regex(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/, 'must be a number, written as text')

export const graphParameter = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a name: letters, digits and _, at most 64'),
    node: z.string().min(1).max(200).describe('id of the node, as the payload has it'),
    input: z.string().min(1).max(200),
    type: z.enum(PARAMETER_TYPES),
    title: z.string().max(200).optional().describe('what a person reads; the name without it'),
    help: z.string().max(2000).optional(),
    default: z.string().max(1_000_000).optional().describe('JSON; without it the value is to be given'),
    min: number.optional(),
    max: number.optional(),
    choices: z.array(z.string().max(1000)).max(10_000).optional().describe('of `choice`: what it may be'),
  })
  .refine(({ type, choices }) => type !== 'choice' || (choices?.length ?? 0) > 0, {
    message: 'a choice needs its choices',
    path: ['choices'],
  })

export type GraphParameter = z.infer<typeof graphParameter>

/** Setting of an endpoint that runs a graph: the endpoint that does the work. */
export const publishedTarget = z.object({
  behind: z.string().describe('id of the endpoint whose workers run it'),
  version: z.number().int().min(1).describe('that runs now'),
})

export const graphVersion = z.object({
  version: z.number().int(),
  createdAt: z.number().int(),
  parameters: z.array(graphParameter),
  results: z.array(z.string()).describe('ids of the nodes whose results are answered; none: all of them'),
})

export type GraphVersion = z.infer<typeof graphVersion>

export const publishedGraph = graphVersion.extend({
  id: z.string().describe('also the id of its endpoint'),
  name: z.string(),
  behind: z.string(),
  workflowId: workflowId.optional(),
  versions: z.array(z.number().int()),
  url: z.string().describe('base address for clients of the job API'),
})

export type PublishedGraph = z.infer<typeof publishedGraph>

const namedOnce = z
  .array(graphParameter)
  .max(200)
  .superRefine((parameters, context) => {
    const names = new Set<string>()
    parameters.forEach(({ name }, at) => {
      if (names.has(name))
        context.addIssue({ code: 'custom', message: 'is the name of two parameters', path: [at, 'name'] })
      names.add(name)
    })
  })

const graphContent = {
  payload: z.string().describe('JSON of the payload'),
  document: z.string().optional().describe('JSON of the document that it was made from'),
  parameters: namedOnce,
  results: z.array(z.string().max(200)).max(1000).default([]),
}

export const publishGraph = z.strictObject({
  id: z.string().max(40).optional(),
  name: z.string().trim().min(1).max(100),
  behind: z.string(),
  ...graphContent,
  workflowId: workflowId.optional(),
})

export const graphToRelease = z.strictObject(graphContent)

export type GraphToRelease = z.infer<typeof graphToRelease>

export const releasedGraph = z.object({
  ...graphContent,
  behind: z.string().describe('endpoint of the same app whose workers run it'),
})

export type ReleasedGraph = z.infer<typeof releasedGraph>

export type PublishGraph = z.infer<typeof publishGraph>

// Payload and document are JSON within JSON, where each quote takes two characters.
export const GRAPH_BODY = { bytes: 4 * limit('runBodyBytes'), name: 'this operation' }

export const PUBLISHED_ROUTES = {
  publishedList: GET('/api/published-graphs', 'List the published graphs, last changed first', {
    response: z.object({ graphs: z.array(publishedGraph) }),
  }),
  publishedCreate: POST(
    '/api/published-graphs',
    'Publish a graph as an endpoint of its own, or the next version of one',
    {
      body: publishGraph,
      bodyLimit: GRAPH_BODY,
      response: publishedGraph,
      errors: [
        'NOT_JSON',
        'BAD_FIELD',
        'BODY_TOO_LARGE',
        'NOT_A_WORKFLOW',
        'ENDPOINT_NOT_FOUND',
        'ENDPOINT_EXISTS',
        'TAKES_NO_WORKFLOWS',
      ],
    },
  ),
  publishedRead: GET(
    '/api/published-graphs/:graphId',
    'Read a published graph, with the payload of the version that runs',
    {
      response: publishedGraph.extend({ payload: z.string(), document: z.string().optional() }),
      errors: ['ENDPOINT_NOT_FOUND'],
    },
  ),
  publishedUpdate: PATCH('/api/published-graphs/:graphId', 'Choose the version that runs, or the backing endpoint', {
    body: z.strictObject({ version: z.number().int().min(1).optional(), behind: z.string().optional() }),
    response: publishedGraph,
    errors: ['NOT_JSON', 'BAD_FIELD', 'ENDPOINT_NOT_FOUND', 'TAKES_NO_WORKFLOWS'],
  }),
  publishedDocument: GET(
    '/api/published-graphs/:graphId/openapi.json',
    'Read the OpenAPI document of a published graph, with its parameters',
    { response: z.unknown(), errors: ['ENDPOINT_NOT_FOUND'] },
  ),
} as const satisfies Record<string, Route>
