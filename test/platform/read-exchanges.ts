/** Reads which routes the clients called in a run, and with which fields. */
import { type DocumentNode, type FieldNode, Kind, parse, type SelectionSetNode } from 'graphql'
import { PLATFORM_ROUTES } from '../../src-main/contract/platform-routes.ts'
import { POD_ROUTES } from '../../src-main/contract/pods.ts'
import type { Route } from '../../src-main/contract/routes.ts'
import { SERVICE_ROUTES } from '../../src-main/contract/service-routes.ts'
import { TASK_ROUTES } from '../../src-main/contract/task-calls.ts'
import { OPENAI_ROUTE, V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import { WORKER_ROUTES } from '../../src-main/contract/worker-protocol.ts'

/** `headers`: names in lower case. Bodies are '' if they are too long. */
export type Exchange = {
  readonly method: string
  readonly url: string
  readonly headers: readonly string[]
  readonly status: number
  readonly sent: string
  readonly answered: string
}

/** The calls of clients, sorted. */
export type Calls = {
  /**
   * By route, like `GET /v2/pods` or `graphql myself`, what was sent: `name` or `outer.inner` in the body, `?name` in the
   * query, `x-name` as a header; for GraphQL `$input.name` as a variable, and `name` as a field that was asked for.
   */
  readonly routes: Readonly<Record<string, readonly string[]>>
  /** Routes that the service lacks, or answers with 501. */
  readonly notAnswered: readonly string[]
}

// Those with fixed addresses come first.
const ROUTES: readonly Pick<Route, 'methods' | 'path'>[] = [
  ...[PLATFORM_ROUTES, POD_ROUTES, SERVICE_ROUTES, TASK_ROUTES, V2_ROUTES, WORKER_ROUTES].flatMap(
    (table: Readonly<Record<string, Route>>) => Object.values(table),
  ),
  OPENAI_ROUTE,
]
// Their contents belong to users.
const PAYLOADS = new Set(['input', 'output', 'error', 'env', 'manifest', 'metadata', 'messages'])
// Drydock's own API, and users' own routes.
const NOT_OF_PLATFORM = /^\/(api|lb)\//

export function readCalls(exchanges: Iterable<Exchange>): Calls {
  const routes = new Map<string, Set<string>>()
  const notAnswered = new Set<string>()
  for (const exchange of exchanges) {
    for (const { route, sent, isAnswered } of callsOf(exchange)) {
      if (!isAnswered) notAnswered.add(route)
      else routes.set(route, (routes.get(route) ?? new Set()).union(new Set(sent)))
    }
  }
  const sorted = [...routes].map(([route, sent]) => [route, [...sent].sort()] as const)
  return {
    routes: Object.fromEntries(sorted.sort(([one], [other]) => (one < other ? -1 : 1))),
    notAnswered: [...notAnswered].sort(),
  }
}

/** The names of all fields of a JSON text. */
export function fieldNames(text: string): readonly string[] {
  return fieldsOf(jsonOf(text)).flatMap((path) => path.split('.'))
}

type Call = { readonly route: string; readonly sent: readonly string[]; readonly isAnswered: boolean }

function callsOf(exchange: Exchange): readonly Call[] {
  const { method, headers, status } = exchange
  const { pathname, searchParams } = new URL(exchange.url, 'http://localhost')
  if (NOT_OF_PLATFORM.test(pathname)) return []
  const row = ROUTES.find((one) => one.methods.some((name) => name === method) && matches(one.path, pathname))
  if (row === undefined) {
    // Other servers of tests answer their own addresses.
    if (status !== 404 && status !== 405) return []
    return [{ route: `${method} ${withoutIds(pathname)}`, sent: [], isAnswered: false }]
  }
  if (row === SERVICE_ROUTES.stateManager) return queriesOf(exchange)
  const query = [...searchParams.keys()].map((name) => `?${name}`)
  const named = headers.filter((name) => name.startsWith('x-') && !name.startsWith('x-stainless-'))
  const sent = [...fieldsOf(jsonOf(exchange.sent)), ...query, ...named]
  return [{ route: `${method} ${row.path}`, sent, isAnswered: status !== 501 }]
}

function queriesOf({ sent, answered }: Exchange): readonly Call[] {
  const { query, variables } = Object(jsonOf(sent))
  const { data, errors, error } = Object(jsonOf(answered))
  const isAnswered = data !== undefined
  const given = Object.entries(Object(variables)).flatMap(([name, value]) => fieldsOf({ [`$${name}`]: value }))
  return fieldsOfQuery(query).map(({ name, selectionSet }) => {
    const route = `graphql ${name.value}`
    if (data === undefined) return { route: `${route}: ${errors?.[0]?.message ?? error}`, sent: [], isAnswered }
    return { route, sent: [...given, ...selected(selectionSet)], isAnswered }
  })
}

/** The outermost fields of all operations. */
function fieldsOfQuery(query: unknown): readonly FieldNode[] {
  const operations = documentOf(query)?.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION) ?? []
  return operations.flatMap((operation) => ('selectionSet' in operation ? fieldsIn(operation.selectionSet) : []))
}

const fieldsIn = (set: SelectionSetNode | undefined) =>
  (set?.selections ?? []).filter((selection) => selection.kind === Kind.FIELD)

function documentOf(query: unknown): DocumentNode | undefined {
  try {
    return parse(String(query))
  } catch {
    return undefined
  }
}

function selected(set: SelectionSetNode | undefined): readonly string[] {
  return fieldsIn(set).flatMap(({ name: { value: name }, selectionSet }) => {
    const inner = selected(selectionSet)
    return inner.length === 0 ? [name] : inner.map((path) => `${name}.${path}`)
  })
}

/** Paths of all fields without inner ones; lists add nothing to a path. */
function fieldsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const paths = PAYLOADS.has(name) ? [] : fieldsOf(inner)
    return paths.length === 0 ? [name] : paths.map((path) => `${name}.${path}`)
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  const isOpen = wanted.at(-1) === '*'
  if (isOpen ? parts.length < wanted.length : parts.length !== wanted.length) return false
  return wanted.every((part, at) => part === '*' || part.startsWith(':') || part === parts[at])
}

/** Names of things, which differ from run to run, become `:id`. */
function withoutIds(path: string): string {
  return path
    .split('/')
    .map((part) => (/\d/.test(part) && !/^v\d$/.test(part) ? ':id' : part))
    .join('/')
}
