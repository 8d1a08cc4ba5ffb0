import type { ProbeAnswer, ProbeResult } from '../../../contract/targets.ts'
import { isRecord } from '../../../lib/json/plain.ts'

/** `read` changes nothing; `free` is refused before it could, as it names something that does not exist. */
export type ProbeCall = {
  readonly kind: 'read' | 'free'
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly withoutKey?: true
}

// No service has an endpoint, a job or anything else of this name.
const NONE = 'drydock-probe-none'

const read = (path: string): ProbeCall => ({ kind: 'read', method: 'GET', path })
const free = (path: string, body = '{"input":{"probe":1}}'): ProbeCall => ({ kind: 'free', method: 'POST', path, body })
const query = (text: string): ProbeCall => ({
  kind: 'read',
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query: text }),
})

const LISTS = [
  ...['serverless', 'templates', 'network-volumes', 'registries'],
  ...['catalog/gpus', 'catalog/cpus', 'catalog/datacenters'],
]

export const PROBE_CALLS: readonly ProbeCall[] = [
  ...LISTS.flatMap((list) => [read(`/v2/${list}`), read(`/v2/${list}?limit=1`), read(`/v2/${list}/${NONE}`)]),
  ...['workers', 'releases', 'builds'].map((of) => read(`/v2/serverless/${NONE}/${of}`)),
  ...['registries/delegations', 'catalog/templates', 'pods', `pods/${NONE}`].map((path) => read(`/v2/${path}`)),
  ...['clusters', 'global-volumes', 'account/ssh-keys', 'billing'].map((path) => read(`/v2/${path}`)),
  read('/v2/serverless?limit=abc'),
  { ...read('/v2/serverless'), withoutKey: true },
  query('query { __typename }'),
  query('query { myself { flashApps { id name } } }'),
  query('query { myself { secrets { id name } } }'),
  query(`query { flashAppByName(flashAppName: "${NONE}") { id name } }`),
  query('query { nothingOfThisName }'),
  ...['health', 'requests', `status/${NONE}`, `stream/${NONE}`].map((path) => read(`/v2/${NONE}/${path}`)),
  ...['run', 'runsync', `cancel/${NONE}`, `retry/${NONE}`, 'purge-queue'].map((path) => free(`/v2/${NONE}/${path}`)),
  free(`/v2/${NONE}/run`, '{"input":'),
  { ...read(`/v2/${NONE}/health`), withoutKey: true },
]

export function probeHeaders(call: ProbeCall, key: string): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    ...(call.withoutKey ? {} : { authorization: `Bearer ${key}` }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

// Fields whose text is part of the API, unlike ids, names and sentences.
const WORDS = new Set(['code', 'status', 'title', 'type'])
// A larger answer has the same fields over and over.
const FIELDS_AT_MOST = 5000

/** Reduces an answer to its form. @param body undefined if it is not JSON */
export function observe(status: number, contentType: string, body: unknown): ProbeAnswer {
  const fields: Record<string, string> = {}
  const visit = (path: string, name: string, value: unknown): void => {
    const is = formOf(name, value)
    const before = fields[path]
    if (before === undefined && Object.keys(fields).length >= FIELDS_AT_MOST) return
    // Elements of a list that differ in a field say nothing about it.
    fields[path] = before === undefined || before === is ? is : 'null'
    if (Array.isArray(value)) for (const element of value) visit(`${path}[]`, '', element)
    else if (isRecord(value))
      for (const [key, inner] of Object.entries(value)) visit(`${path}.${key}`, path.endsWith('[]') ? '' : key, inner)
  }
  visit('', '', body)
  return { status, contentType: contentType.split(';')[0]?.trim() ?? '', fields }
}

function formOf(name: string, value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'no JSON'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' && WORDS.has(name) ? `"${value}"` : typeof value
}

/** The call, and for each difference a line. Unknown: a service could not answer, or had nothing to compare. */
export function compareAnswers(call: ProbeCall, here: ProbeAnswer, there: ProbeAnswer): ProbeResult {
  const name = `${call.method} ${call.path}${nameOf(call)}`
  const failure = here.failure ?? there.failure
  if (failure !== undefined) return { call: name, result: 'unknown', found: [failure] }
  const found = [
    ...differs('status', String(here.status), String(there.status)),
    ...differs('content type', here.contentType, there.contentType),
  ]
  const unknown: string[] = []
  for (const path of new Set([...Object.keys(here.fields), ...Object.keys(there.fields)])) {
    const [mine, theirs] = [here.fields[path], there.fields[path]]
    if (mine === theirs || mine === 'null' || theirs === 'null') continue
    const other = mine === undefined ? here : there
    if ((mine === undefined || theirs === undefined) && !isParentIn(other, path)) continue
    if ((mine === undefined || theirs === undefined) && path.endsWith('[]')) unknown.push(`${path} is empty`)
    else found.push(...differs(path || 'body', mine ?? 'missing', theirs ?? 'missing'))
  }
  const result = found.length > 0 ? 'different' : unknown.length > 0 ? 'unknown' : 'same'
  return { call: name, result, found: found.length > 0 ? found : unknown }
}

function nameOf({ body, withoutKey, path }: ProbeCall): string {
  if (withoutKey) return ' (without a key)'
  return path === '/graphql' || body === '{"input":' ? ` ${body}` : ''
}

const differs = (what: string, here: string, there: string) =>
  here === there ? [] : [`${what}: here ${here}, there ${there}`]

// Fields of something that is missing, null or an empty list are not compared one by one.
function isParentIn({ fields }: ProbeAnswer, path: string): boolean {
  const parent = fields[path.replace(/(\[\]|\.[^.[\]]*)$/, '')]
  return parent === 'object' || parent === 'list'
}
