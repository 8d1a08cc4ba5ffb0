/** Example calls derived from signatures, so that the output of a deploy can be pasted and run. */

import type { DeployedEndpoint } from '../../../contract/app.ts'
import type { ScannedEndpoint, ScannedParameter } from '../../../contract/scan.ts'

type ScannedFunction = Pick<ScannedEndpoint['functions'][number], 'isClass' | 'parameters' | 'methodDetails'>

// Values that people expect for these names; others get a value of their type.
const BY_NAME: Readonly<Record<string, unknown>> = {
  name: 'Ada',
  names: ['Ada', 'Bo'],
  prompt: 'a cat',
  text: 'Hello there',
  url: 'https://example.com',
}
const TEXT = 'text'
const BY_TYPE: readonly (readonly [type: RegExp, value: unknown])[] = [
  [/^str$/, TEXT],
  [/^int$/, 1],
  [/^float$/, 0.5],
  [/^bool$/, true],
  [/^(?:list|List|Sequence|tuple|Tuple|set|Set)\[str\b/, [TEXT]],
  [/^(?:list|List|Sequence|tuple|Tuple|set|Set)\[(?:int|float)\b/, [1, 2]],
  [/^(?:list|List|Sequence|tuple|Tuple|set|Set|Iterable)\b/, []],
  [/^(?:dict|Dict|Mapping)\b/, {}],
]
const NOT_SENT = /\b(?:Request|BackgroundTasks)$/

export function exampleArguments({
  isClass,
  parameters,
  methodDetails,
}: ScannedFunction): Readonly<Record<string, unknown>> | undefined {
  if (!isClass) return parameters && argumentsFor(parameters)
  const [method, ...others] = methodDetails ?? []
  const given = method && argumentsFor(method.parameters)
  return given && others.length > 0 ? { method: method.name, ...given } : given
}

function argumentsFor(all: readonly ScannedParameter[]): Readonly<Record<string, unknown>> | undefined {
  const named = all.filter(({ kind, annotation }) => !kind.startsWith('var-') && !NOT_SENT.test(annotation ?? ''))
  const required = named.filter(({ hasDefault }) => !hasDefault)
  const first = named.find((one) => typeof valueFor(one) === 'string')
  const shown = required.length > 0 || first === undefined ? required : [first]
  const values = shown.map((one) => [one.name, valueFor(one)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

function valueFor({ name, annotation }: ScannedParameter): unknown {
  const type = plainType(annotation ?? '')
  const [, literal] = /^Literal\[\s*['"]([^'"]*)['"]/.exec(type) ?? []
  if (literal !== undefined) return literal
  const byType = type === '' || type === 'Any' ? TEXT : BY_TYPE.find(([pattern]) => pattern.test(type))?.[1]
  const byName = BY_NAME[name]
  const fits = byName !== undefined && (type === '' || Array.isArray(byName) === Array.isArray(byType))
  return fits && (typeof byType === 'string' || Array.isArray(byType)) ? byName : byType
}

function plainType(text: string): string {
  const bare = text.trim().replace(/^['"]|['"]$/g, '')
  const optional = /^(?:typing\.)?Optional\[(.*)\]$/s.exec(bare)?.[1] ?? bare
  return optional.replace(/\s*\|\s*None\b|\bNone\s*\|\s*/g, '').replace(/^(?:typing|collections\.abc)\./, '')
}

type ExampleRequest = {
  readonly method: string
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

export function firstRoute(routes: readonly string[]): string | undefined {
  const plain = routes.filter((route) => !route.includes('{'))
  return plain.find((route) => route.startsWith('GET ')) ?? plain[0]
}

export function exampleRequest(route: string, { examples }: Pick<DeployedEndpoint, 'examples'>): ExampleRequest {
  const [method = 'GET', path = '/'] = route.split(' ')
  const example = examples?.[route]
  if (method === 'GET' || method === 'HEAD') return { method, path: `${path}${asQuery(example ?? {})}` }
  return { method, path, ...(example === undefined ? {} : { body: example }) }
}

function asQuery(example: Readonly<Record<string, unknown>>): string {
  const plain = Object.entries(example).filter(([, value]) => typeof value !== 'object')
  const pairs = plain.map(([name, value]) => `${asPart(name)}=${asPart(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const asPart = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
