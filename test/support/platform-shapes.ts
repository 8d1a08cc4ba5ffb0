/** The shapes of the platform's management API, read in place where they are there, and answers held against them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const FILE = join(import.meta.dirname, '..', '..', '..', 'shared', 'spec', 'platform-rest.json')

/** Why answers cannot be held against the shapes here; undefined: they can. */
export const noPlatformShapes: string | undefined = existsSync(FILE)
  ? undefined
  : 'the file with the shapes of the platform is not there'

type Json = { readonly [name: string]: unknown }
type Operation = {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Json>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}

/** One operation of the shapes. */
export type PlatformShape = { readonly operationId: string; readonly method: string; readonly path: string }

/** All operations, and checks of what they take and answer. */
export type PlatformShapes = {
  readonly operations: readonly PlatformShape[]
  /** Problems of an answer. */
  readonly problems: (operationId: string, status: number, type: string | null, body: unknown) => readonly string[]
  /** Problems of a body that is sent. */
  readonly bodyProblems: (operationId: string, body: unknown) => readonly string[]
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])
const FORMATS = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, uri: /^[a-z]+:\/\/\S+$/ }

/** Reads the shapes. */
export function readPlatformShapes(): PlatformShapes {
  const document = JSON.parse(readFileSync(FILE, 'utf8'))
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false })
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format)
  ajv.addFormat('float', true)
  ajv.addSchema(document, 'platform')
  const compiled = new Map<string, ValidateFunction>()
  const byId = new Map<string, Operation & PlatformShape>()
  for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths))
    for (const [method, operation] of Object.entries(item))
      if (METHODS.has(method)) byId.set(operation.operationId, { ...operation, method: method.toUpperCase(), path })

  function follow(value: unknown): Json {
    const { $ref } = value as { readonly $ref?: string }
    if ($ref === undefined) return value as Json
    return $ref
      .slice(2)
      .split('/')
      .reduce((at: Json, part) => at[part] as Json, document)
  }

  function check(schema: Json, value: unknown): readonly string[] {
    const key = JSON.stringify(schema)
    const whole = JSON.parse(key.replaceAll('"#/', '"platform#/'))
    const validate = compiled.get(key) ?? ajv.compile(whole)
    compiled.set(key, validate)
    return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`)
  }

  const operationOf = (operationId: string) => {
    const found = byId.get(operationId)
    if (found === undefined) throw new Error(`there is no operation ${operationId}`)
    return found
  }

  return {
    operations: [...byId.values()].map(({ operationId, method, path }) => ({ operationId, method, path })),
    problems(operationId, status, type, body) {
      const { responses } = operationOf(operationId)
      const response = follow(responses[status] ?? responses.default)
      const content = (response.content ?? {}) as Readonly<Record<string, { readonly schema: Json }>>
      const [wanted] = Object.keys(content)
      if (wanted === undefined) return body === undefined ? [] : ['it has a body']
      if (!(type ?? '').startsWith(wanted)) return [`it is ${type} and not ${wanted}`]
      return check(content[wanted]?.schema ?? {}, body)
    },
    bodyProblems(operationId, body) {
      const [content] = Object.values(operationOf(operationId).requestBody?.content ?? {})
      if (content === undefined) return ['it takes no body']
      // Under `if` the checker loses count of the properties that were looked at.
      return check(content.schema, body).filter((problem) => !problem.includes('unevaluated properties'))
    },
  }
}
