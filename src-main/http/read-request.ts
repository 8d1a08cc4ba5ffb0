/** Reads path, query and body in this order; bodies are size-limited, decompressed and validated as JSON. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Context } from 'hono'
import type { ZodType } from 'zod'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import type { BodyOf, PathOf, QueryOf, Route } from '../contract/routes.ts'
import type { ReadsJobs } from '../features/jobs/ports/readers.ts'
import { type BodyFault, readObject } from '../features/jobs/rules/read-object.ts'
import { errorCode } from '../lib/error-code.ts'
import type { Json } from '../lib/json/bytes.ts'
import { fieldsOf } from '../lib/json/scan.ts'
import { jsonText } from '../lib/json/text.ts'
import { MIB } from '../lib/units.ts'
import { repeatAdmission } from './admission.ts'
import { type Bytes, bodyText, shortText, withoutMark } from './body-text.ts'
import { fieldError } from './error-response.ts'
import type { NodeBindings } from './node-bindings.ts'

export type Parsed<Row extends Route = Route> = {
  readonly path: PathOf<Row>
  readonly query: QueryOf<Row>
  readonly body: Row extends { readonly bodyType: 'application/octet-stream' } ? Bytes : BodyOf<Row>
  readonly sent: Row extends { readonly body: ZodType } ? JsonBody : undefined
}

const USUAL_LIMIT = { bytes: limit('managementBodyBytes'), name: 'this operation' }

/**
 * Does not check that named resources exist.
 * @throws AppError BAD_FIELD, BAD_INPUT, and those of readBody and parseJsonBody
 */
export async function parseRequest<Row extends Route>(
  c: Context,
  route: Row,
  service: ReadsJobs,
): Promise<Parsed<Row>> {
  const path: Record<string, unknown> = c.req.param()
  for (const name in route.params) path[name] = parameter(name, route.params[name] as ZodType, path[name])
  const query: Record<string, unknown> = {}
  for (const name in route.query) query[name] = parameter(name, route.query[name] as ZodType, c.req.query(name))
  // Creates no needless promise, as every job passes here.
  const { body, sent } = hasBody(route) ? await parseBody(c, route, service) : NO_BODY
  return { path, query, body, sent } as unknown as Parsed<Row>
}

const NO_BODY = { body: undefined, sent: undefined }

const hasBody = ({ body, bodyType, readsOwnBody }: Route) =>
  (body !== undefined && readsOwnBody !== true) || bodyType === 'application/octet-stream'

/**
 * Returns the offset in Content-Range; 0 for a whole body. Source: RFC 9110, 14.4.
 * @throws AppError BAD_FIELD
 */
export function firstByteOf(contentRange: string | undefined): number {
  if (contentRange === undefined) return 0
  const first = /^bytes (\d{1,15})-\d{1,15}\/\d{1,15}$/.exec(contentRange)?.[1]
  if (first !== undefined) return Number(first)
  throw new AppError('BAD_FIELD', { field: 'Content-Range', why: 'must be like bytes 100-199/200' })
}

function parameter(name: string, schema: ZodType, given: unknown): unknown {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new AppError('BAD_FIELD', { field: name, why: parsed.error.issues[0]?.message ?? 'is not valid' })
}

async function parseBody(
  c: Context,
  { body, bodyType, bodyLimit = USUAL_LIMIT, passesPayloads }: Route,
  service: ReadsJobs,
) {
  const { bytes, name, values } = bodyLimit
  if (bodyType === 'application/octet-stream') return { body: await readBody(c, bytes, name), sent: undefined }
  if (body === undefined) return NO_BODY
  const usual = values ?? (bytes === USUAL_LIMIT.bytes ? limit('settingValues') : limit('jsonValues'))
  const sent = await parseJsonBody(await readBody(c, bytes, name), service, passesPayloads ? undefined : usual)
  return { body: readFields(body, sent), sent }
}

export function readFields<Value>(schema: ZodType<Value>, { value }: JsonBody): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw fieldError(parsed.error)
}

export type JsonBody = {
  readonly value: Readonly<Record<string, unknown>>
  readonly raw: (field: string) => string | undefined
  readonly payload: (field: string) => Json | undefined
}

type Unpack = (packed: Bytes, options: { readonly maxOutputLength: number }) => Promise<Bytes>

/** Decompression by Content-Encoding. Each runs in a thread and stops at its limit. */
const ENCODINGS: Readonly<Record<string, Unpack | undefined>> = {
  gzip: promisify(gunzip) as Unpack,
  'x-gzip': promisify(gunzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
  zstd: promisify(zstdDecompress) as Unpack,
}

/**
 * Stops at the limit while receiving and decompressing.
 * @param maxBytes uncompressed size
 * @param begins called with the first raw bytes, even of a too large body
 * @throws AppError BODY_TOO_LARGE, UNSUPPORTED_ENCODING, BAD_FIELD
 */
export async function readBody(
  c: Context,
  maxBytes: number,
  operation: string,
  begins?: (first: Uint8Array) => void,
): Promise<Bytes> {
  const tooLarge = () => new AppError('BODY_TOO_LARGE', { limit: exactSize(maxBytes), operation })
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return readAdmitted(c, maxBytes, tooLarge, begins)
  const unpack = Object.hasOwn(ENCODINGS, encoding) ? ENCODINGS[encoding] : undefined
  if (unpack === undefined) throw new AppError('UNSUPPORTED_ENCODING', { encoding: encoding.slice(0, 100) })
  const packed = await readAdmitted(c, maxBytes, tooLarge)
  try {
    return await unpack(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    const why = `it is not ${encoding}, as its Content-Encoding says (${(error as Error).message})`
    throw new AppError('BAD_FIELD', { field: 'body', why }, { cause: error })
  }
}

// A slow body must not outlive the key in its headers.
async function readAdmitted(
  c: Context,
  maxBytes: number,
  tooLarge: () => AppError,
  begins?: (first: Uint8Array) => void,
): Promise<Bytes> {
  const sent = await readSent(c, maxBytes, tooLarge, begins)
  repeatAdmission(c)
  return sent
}

async function readSent(
  c: Context,
  maxBytes: number,
  tooLarge: () => AppError,
  begins?: (first: Uint8Array) => void,
): Promise<Bytes> {
  if (begins === undefined && Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge()
  const incoming = (c.env as NodeBindings | undefined)?.incoming
  const source: AsyncIterable<Uint8Array> | null = incoming ?? c.req.raw.body
  if (source === null) return Buffer.alloc(0)
  if (incoming !== undefined) return readIncoming(incoming, maxBytes, tooLarge, begins)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of source) {
    if (bytes === 0) begins?.(part)
    bytes += part.length
    if (bytes > maxBytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts)
}

// Events instead of iteration, because every submit passes here, and most bodies are one piece.
function readIncoming(
  incoming: IncomingMessage,
  maxBytes: number,
  tooLarge: () => AppError,
  begins?: (first: Uint8Array) => void,
): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const parts: Bytes[] = []
    let bytes = 0
    const onData = (part: Bytes) => {
      if (bytes === 0) begins?.(part)
      bytes += part.length
      if (bytes <= maxBytes) parts.push(part)
      else finish(() => reject(tooLarge()))
    }
    const onEnd = () =>
      finish(() => resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)))
    const onClose = () =>
      finish(() => reject(new AppError('NOT_JSON', { why: 'the connection was closed before its end' })))
    const finish = (settle: () => void) => {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      settle()
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/**
 * Parses a body as a JSON object, a large one in a thread.
 * @param maxValues undefined: payloads are passed on, so long strings and large fields may be empty in `value`
 * @throws AppError NOT_JSON, BAD_INPUT
 */
export async function parseJsonBody(
  sent: Bytes,
  { readInThread }: ReadsJobs,
  maxValues: number | undefined,
): Promise<JsonBody> {
  const bytes = withoutMark(sent)
  if (bytes.length === 0) throw new AppError('NOT_JSON', { why: 'it is empty' })
  if (!isUtf8(bytes)) throw new AppError('NOT_JSON', { why: 'it is not valid UTF-8' })
  const isShort = bytes.length <= limit('payloadInRowBytes')
  const text = maxValues === undefined ? shortText(bytes) : isShort ? bodyText(bytes) : undefined
  if (text === undefined) {
    const read = await readInThread.object(bytes, maxValues)
    if ('problem' in read) throw new AppError('NOT_JSON', { why: read.problem })
    if ('code' in read) throw refusal(read)
    return bodyOf(read.value, (field) => read.fields.get(field))
  }
  const read = readObject(text, maxValues)
  if ('code' in read) throw refusal(read)
  return bodyOf(read.value, fieldsOf(read.scan, text.cut))
}

export const objectPieces = ({ value, payload }: JsonBody): readonly Json[] => [
  '{',
  ...Object.keys(value).flatMap((name, at): readonly Json[] => [
    `${at === 0 ? '' : ','}${JSON.stringify(name)}:`,
    payload(name) ?? 'null',
  ]),
  '}',
]

const refusal = ({ code, why }: BodyFault) => new AppError(code, { why })

function bodyOf(value: JsonBody['value'], payload: JsonBody['payload']): JsonBody {
  const raw = (field: string) => {
    const json = payload(field)
    return json === undefined ? undefined : jsonText(json)
  }
  return { value, raw, payload }
}

// Exact bytes, because a body may exceed the limit by one.
function exactSize(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`
}
