import { isRawJson } from './raw-json.ts'

export type Result = ReadonlyMap<string, string>

/**
 * The keys `error` and `refresh_worker` never reach the output, even when falsy; an object with nothing else has no
 * output. Source: observed behaviour of the public SDK.
 */
export function returned(value: unknown): Result {
  if (!isPlainObject(value)) return new Map([['output', encode(value)]])
  const { error, refresh_worker: refresh, ...rest } = value
  const fields = new Map<string, string>()
  if (error) fields.set('error', JSON.stringify(typeof error === 'string' ? error : encode(error, 'output.error')))
  if (Object.keys(rest).length > 0) fields.set('output', encode(rest))
  if (refresh) fields.set('stopPod', 'true')
  return fields
}

export const streamed = (chunks: readonly string[]): Result => new Map([['output', `[${chunks.join(',')}]`]])

export const failed = (errorText: string): Result => new Map([['error', JSON.stringify(errorText)]])

export function bodyOf(result: Result, stopWorker: boolean): string {
  return object(stopWorker ? new Map([...result, ['stopPod', 'true']]) : result)
}

export const chunkBody = (chunk: string): string => object(new Map([['output', chunk]]))

export const progressBody = (value: unknown): string =>
  object(
    new Map([
      ['status', '"IN_PROGRESS"'],
      ['output', encode(value, 'progress value')],
    ]),
  )

export const isErrorChunk = (chunk: unknown): boolean => isPlainObject(chunk) && Boolean(chunk.error)

/**
 * Encodes undefined as null.
 * @throws TypeError naming the faulty part of `name`
 */
export function encode(value: unknown, name = 'output'): string {
  if (isRawJson(value)) return value.text
  let text: string | undefined
  try {
    text = JSON.stringify(value, refuseWhatIsLost)
  } catch (error) {
    throw explain(value, name) ?? error
  }
  return text ?? 'null'
}

// JSON.stringify writes null for NaN and {} for a Map, which would silently corrupt the result.
function refuseWhatIsLost(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('a number that JSON cannot hold')
  if (typeof value === 'object' && (value instanceof Map || value instanceof Set)) throw new TypeError('a Map or a Set')
  if (typeof value === 'object' && isRawJson(value)) throw new TypeError('a RawJson inside of another value')
  return value
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value)
}

const object = (fields: Result): string => `{${[...fields].map(([name, text]) => `"${name}":${text}`).join(',')}}`

/** Returns the first value that JSON cannot hold, in writing order; undefined if none. */
function explain(value: unknown, name: string): TypeError | undefined {
  try {
    return find(value, name, [])
  } catch (error) {
    if (error instanceof RangeError) return new TypeError(`${name} is nested too deeply for JSON`)
    throw error
  }
}

function find(value: unknown, path: string, parents: readonly object[]): TypeError | undefined {
  if (typeof value !== 'object' || value === null) return leaf(value, path)
  if (parents.includes(value)) return new TypeError(`${path} contains itself, which JSON cannot hold`)
  if (value instanceof Map || value instanceof Set)
    return new TypeError(`${path} is a ${value.constructor.name}, which JSON cannot hold; return an object or an array`)
  if (isRawJson(value))
    return new TypeError(`${path} is RawJson inside another value; only the whole result can be RawJson`)
  if ('toJSON' in value) return undefined
  const inside = [...parents, value]
  for (const [key, item] of Object.entries(value)) {
    const found = find(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, inside)
    if (found !== undefined) return found
  }
  return undefined
}

function leaf(value: unknown, path: string): TypeError | undefined {
  if (typeof value === 'bigint')
    return new TypeError(`${path} is a BigInt, which JSON cannot hold; return JSON.rawJSON(String(value)) or a string`)
  if (typeof value === 'number' && !Number.isFinite(value))
    return new TypeError(`${path} is ${value}, which JSON cannot hold; return null or a string instead`)
  return undefined
}
