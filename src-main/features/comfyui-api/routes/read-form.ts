import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Busboy } from '@fastify/busboy'
import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { KIB } from '../../../lib/units.ts'
import { tooLarge } from './bodies.ts'

// Uploads have at most five parts. Source: ours.
const LIMITS = { parts: 50, headerSize: 16 * KIB }

// Fields of uploads have less than a hundred characters. Source: ours.
const FIELD_BYTES = 64 * KIB

type Received = { readonly drop: () => Promise<void> }

type Pieces = AsyncIterable<Uint8Array>

type FormReader<File> = {
  readonly body: Pieces | Iterable<Uint8Array>
  readonly fieldBytes?: number
  /** Takes a file while it arrives; undefined ignores it. */
  readonly receive: (field: string, pieces: Pieces) => Promise<File> | undefined
}

/**
 * Reads a form whose files go to `receive`. Its end drops them.
 * @returns undefined if it is no form, ends early, or has too many or too long parts
 * @throws AppError of `body` and `receive`
 */
export async function readForm<File extends Received>(
  c: Context,
  { body, fieldBytes = FIELD_BYTES, receive }: FormReader<File>,
) {
  const form = openForm(c.req.header('content-type') ?? '', fieldBytes)
  if (form === undefined) return undefined
  const fields = new Map<string, string>()
  const arriving: { readonly part: FormPart; readonly stream: Readable; readonly file: Promise<File> }[] = []
  const failures: unknown[] = []
  const refuse = (failure?: unknown) => void failures.push(failure)
  form.on('partsLimit', refuse)
  form.on('field', (name, value, _nameIsCut, isCut) => {
    if (isCut) refuse()
    if (!fields.has(name)) fields.set(name, value)
  })
  form.on('file', (field, stream, name, _encoding, type) => {
    // It may end early before anybody reads it.
    stream.on('error', refuse)
    const file = receive(field, stream)
    if (file === undefined) return void stream.resume()
    file.catch((error) => form.destroy(error))
    arriving.push({ part: { field, name, type }, stream, file })
  })
  await pipeline(body, form).catch((error) => {
    refuse(error)
    form.destroy()
    for (const { stream } of arriving) stream.destroy()
  })
  const files: (FormPart & { readonly received: File })[] = []
  for (const { part, file } of arriving) await file.then((received) => files.push({ ...part, received }), refuse)
  const drop = async () => void (await Promise.all(files.map(({ received }) => received.drop())))
  if (failures.length === 0) return { fields, files, [Symbol.asyncDispose]: drop }
  await drop()
  const known = failures.find((failure) => failure instanceof AppError)
  if (known !== undefined) throw known
  return undefined
}

export function firstFile<File>(name: string, receive: (pieces: Pieces) => Promise<File>): FormReader<File>['receive'] {
  let isTaken = false
  return (field, pieces) => {
    if (field !== name || isTaken) return undefined
    isTaken = true
    return receive(pieces)
  }
}

type FormPart = { readonly field: string; readonly name: string; readonly type: string }

function openForm(type: string, fieldSize: number) {
  if (!/^multipart\/form-data/i.test(type)) return undefined
  const isPartAFile = (_field?: string, _type?: string, name?: string) => name !== undefined
  const limits = { ...LIMITS, fieldSize }
  try {
    return new Busboy({ headers: { 'content-type': type }, limits, isPartAFile, preservePath: true })
  } catch {
    return undefined // without a boundary
  }
}

/** @throws AppError BODY_TOO_LARGE */
export async function* uploadedBody(c: Context): AsyncGenerator<Uint8Array> {
  const most = limit('comfyuiUploadBytes')
  if (Number(c.req.header('content-length')) > most) throw tooLarge(c, most)
  let bytes = 0
  // The types of the DOM, which pages are checked with, differ from Node's.
  const body = c.req.raw.body as ReadableStream<Uint8Array> | null
  for await (const piece of body === null ? [] : Readable.fromWeb(body)) {
    bytes += piece.length
    if (bytes > most) throw tooLarge(c, most)
    yield piece
  }
}
