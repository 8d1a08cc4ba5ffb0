/** Every call that public clients can make reaches a route of this service, or one that says why it is not here. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { type Exchange, readCalls } from '../platform/read-exchanges.ts'
import { recordExchanges } from '../platform/record-exchanges.ts'
import { prepareAgentServer, startAgent } from './support-agents.ts'
import type { PackageFolder } from './support-packages.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicApps, preparePublicPython } from './support-python.ts'
import { startService } from './support-service.ts'

const SCRIPT = fileURLToPath(new URL('python/every_call.py', import.meta.url))
// The older package deploys with `drydock deploy` here.
const OF_OLDER_DEPLOYS = [
  'deployBuildToEnvironment',
  'flashBuild',
  'podTemplate',
  'saveEndpoint',
  'saveTemplate',
  'updateFlashBuildManifest',
]

let server: PackageFolder
let apps: PublicPython
let older: PublicPython
beforeAll(async () => {
  server = await prepareAgentServer()
  apps = await preparePublicApps()
  older = await preparePublicPython()
}, PREPARE_LIMIT_MS)

/** Records requests to this process. @returns what gives those that were neither answered nor refused with a reason */
function record({ onTestFinished }: TestContext) {
  const exchanges: Exchange[] = []
  onTestFinished(recordExchanges((exchange) => exchanges.push(exchange)))
  return () => {
    const calls = readCalls(exchanges.filter(({ answered }) => !answered.includes('NOT_ON_THIS_MACHINE')))
    return { count: Object.keys(calls.routes).length, notAnswered: calls.notAnswered }
  }
}

test.for([
  ['the package', () => apps, ['runpod.apps.api:AppsApiClient', 'runpod.api.ctl_commands'], []],
  ['the older package', () => older, ['runpod_flash.core.api.runpod:RunpodGraphQLClient'], OF_OLDER_DEPLOYS],
] as const)('every call of %s is answered', async ([, prepared, targets, known], context) => {
  const { ready, python, reason } = prepared()
  context.skip(!ready, reason)
  const { url, key, folder } = await startService(context)
  const calls = record(context)
  const variables = platformVariables(url, key, { bundle: undefined, pythonPath: '' })
  const named = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
  // The package reads platform keys in HOME.
  const env = { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1', ...named }
  const { stdout } = await promisify(execFile)(python, ['-W', 'ignore', SCRIPT, ...targets], { env })
  const { count, notAnswered } = calls()
  const isKnown = (call: string) => known.some((field) => call.startsWith(`graphql ${field}:`))
  expect(
    notAnswered.filter((call) => !isKnown(call)),
    stdout,
  ).toEqual([])
  expect(count).toBeGreaterThan(10)
})

test('every call of the server for agents is answered', async (context) => {
  context.skip(!server.ready, server.reason)
  const { request } = await startAgent(context, server)
  const calls = record(context)
  const { result } = await request('tools/list', {})
  for (const { name, inputSchema } of result.tools)
    for (const withOptional of [false, true])
      await request('tools/call', { name, arguments: madeUp(inputSchema, withOptional, inputSchema.$defs) })
  const { count, notAnswered } = calls()
  expect(notAnswered).toEqual([])
  expect(count).toBeGreaterThan(30)
})

/** Parts of a JSON schema. */
type Schema = {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A value of a schema, with the fields that it requires or with all of them. */
function madeUp(schema: Schema, withOptional: boolean, definitions: Readonly<Record<string, Schema>> = {}): unknown {
  const inner = (one: Schema) => madeUp(one, withOptional, definitions)
  if (schema.$ref !== undefined) return inner(definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? schema.oneOf ?? []).slice(0, 1)].map(inner)
  if (parts.length === 1 && schema.properties === undefined) return parts[0]
  const [type] = [schema.type ?? 'object'].flat()
  if (type === 'object') {
    const names = withOptional ? Object.keys(schema.properties ?? {}) : (schema.required ?? [])
    const own = names.map((name) => [name, inner(schema.properties?.[name] ?? {})] as const)
    return Object.assign({}, ...parts, Object.fromEntries(own))
  }
  if (type === 'array') return Array.from({ length: schema.minItems ?? 1 }, () => inner(schema.items ?? {}))
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return schema.format === 'date-time' ? '2026-11-01T00:00:00Z' : 'x'
}
