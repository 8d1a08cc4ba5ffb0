import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Busboy } from '@fastify/busboy'
import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { KIB } from '../../../lib/units.ts'
import type { ReceivedFile } from '../../../storage/storage.ts'
import { tooLarge } from './bodies.ts'

// Uploads have at most five parts, and fields of less than a hundred characters. Source: ours.
const LIMITS = { parts: 50, fieldSize: 64 * KIB, headerSize: 16 * KIB }

type Upload = { readonly name: string; readonly image: ReceivedFile; readonly fields: ReadonlyMap<string, string> }
type Receive = (pieces: AsyncIterable<Uint8Array>) => Promise<ReceivedFile>

/**
 * Reads a form whose first file `image` goes to `receive` as it arrives.
 * @returns undefined if it is no form, names no image, or has too many or too long parts
 * @throws AppError BODY_TOO_LARGE; an error of `receive`
 */
export async function readUpload(c: Context, receive: Receive): Promise<Upload | undefined> {
  const form = openForm(c.req.header('content-type') ?? '')
  if (form === undefined) return undefined
  const fields = new Map<string, string>()
  let image: { readonly name: string | undefined; readonly file: Promise<ReceivedFile> } | undefined
  let isBad = false
  const refuse = () => {
    isBad = true
  }
  form.on('partsLimit', refuse)
  form.on('field', (name, value, _nameIsCut, isCut) => {
    isBad ||= isCut
    if (!fields.has(name)) fields.set(name, value)
  })
  form.on('file', (field, stream, name) => {
    if (field !== 'image' || image !== undefined) stream.on('error', refuse).resume()
    else {
      image = { name: name || undefined, file: receive(stream) }
      image.file.catch((error) => form.destroy(error))
      form.once('close', () => stream.destroy())
    }
  })
  const wasRead = await pipeline(boundedBody(c), form).then(
    () => true,
    (error) => {
      form.destroy()
      if (error instanceof AppError) throw error
      return false
    },
  )
  const file = await image?.file.catch(() => undefined)
  if (wasRead && !isBad && file !== undefined && image?.name !== undefined)
    return { name: image.name, image: file, fields }
  await file?.drop()
  return undefined
}

function openForm(type: string) {
  try {
    return /^multipart\/form-data/i.test(type)
      ? new Busboy({ headers: { 'content-type': type }, limits: LIMITS })
      : undefined
  } catch {
    return undefined // without a boundary
  }
}

async function* boundedBody(c: Context): AsyncGenerator<Uint8Array> {
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
