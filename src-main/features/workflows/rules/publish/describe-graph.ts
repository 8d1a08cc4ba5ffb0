import type { GraphParameter, PublishedGraph } from '../../../../contract/published.ts'
import type { JsonObject, JsonValue } from '../../../../lib/json/value.ts'
import { defaultOf } from './parameter-values.ts'

const TYPES: Readonly<Record<GraphParameter['type'], string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  choice: 'string',
  image: 'string',
}

function inputSchema(parameters: readonly GraphParameter[]): JsonObject {
  const required = parameters.filter((parameter) => defaultOf(parameter) === undefined).map(({ name }) => name)
  return new Map<string, JsonValue>([
    ['type', 'object'],
    ['additionalProperties', false],
    ['required', required],
    ['properties', new Map(parameters.map((parameter) => [parameter.name, parameterSchema(parameter)]))],
  ])
}

function parameterSchema(parameter: GraphParameter): JsonObject {
  const { type, title, help, min, max, choices } = parameter
  const given = defaultOf(parameter)
  const about = type === 'image' ? ['A picture, as base64 or a data URI.', ...(help === undefined ? [] : [help])] : help
  return new Map<string, JsonValue>([
    ['type', TYPES[type]],
    ...(title === undefined ? [] : [['title', title] as const]),
    ...(about === undefined ? [] : [['description', [about].flat().join(' ')] as const]),
    ...(given === undefined ? [] : [['default', given] as const]),
    ...(min === undefined ? [] : [['minimum', { number: min }] as const]),
    ...(max === undefined ? [] : [['maximum', { number: max }] as const]),
    ...(choices === undefined ? [] : [['enum', choices] as const]),
  ])
}

export function describeGraph({
  id,
  name,
  version,
  url,
  parameters,
}: Pick<PublishedGraph, 'id' | 'name' | 'url'> & Partial<Pick<PublishedGraph, 'version' | 'parameters'>>): JsonObject {
  const input = parameters === undefined ? object({ type: 'object' }) : inputSchema(parameters)
  const what = version === undefined ? `The endpoint ${id}.` : `The graph ${id}, version ${version}.`
  const body = object({
    required: true,
    content: object({
      'application/json': object({
        schema: object({
          type: 'object',
          required: ['input'],
          properties: object({ input, webhook: object({ type: 'string' }) }),
        }),
      }),
    }),
  })
  const post = (operationId: string, summary: string) =>
    object({ post: object({ operationId, summary, requestBody: body, responses: responseSchema(summary) }) })
  return object({
    openapi: '3.1.0',
    info: object({ title: name, version: String(version ?? 1), description: what }),
    servers: [object({ url })],
    security: [object({ key: [] })],
    paths: object({
      '/run': post('run', 'Queues a job and returns its id'),
      '/runsync': post('runsync', 'Queues a job and returns its record when it has ended'),
    }),
    components: object({ securitySchemes: object({ key: object({ type: 'http', scheme: 'bearer' }) }) }),
  })
}

function responseSchema(summary: string): JsonObject {
  const refused = 'A parameter is missing or invalid; the message names it'
  return object({ '200': object({ description: summary }), '400': object({ description: refused }) })
}

const object = (fields: Readonly<Record<string, JsonValue>>): JsonObject => new Map(Object.entries(fields))
