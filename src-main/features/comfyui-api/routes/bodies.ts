import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../../../contract/errors.ts'
import { errorResponse } from '../../../http/error-response.ts'
import { isRecord } from '../../../lib/json/plain.ts'
import { sizeText } from '../../../lib/text.ts'

export function boundBody(most: number, service: Parameters<typeof errorResponse>[2]): MiddlewareHandler {
  return bodyLimit({ maxSize: most, onError: (c) => errorResponse(c, tooLarge(c, most), service) })
}

export const tooLarge = (c: Context, most: number): AppError =>
  new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: c.req.path })

/** Accepts any content type, since many clients send none. */
export async function readBody(c: Context): Promise<Readonly<Record<string, unknown>>> {
  const body = (await c.req.text()) === '' ? {} : await readJson(c)
  if (!isRecord(body)) throw new AppError('BAD_FIELD', { field: 'body', why: 'must be a JSON object' })
  return body
}

export function readJson(c: Context): Promise<unknown> {
  return c.req.json().catch((cause) => {
    throw new AppError('BAD_FIELD', { field: 'body', why: 'must be JSON' }, { cause })
  })
}

// Parsing takes 50 µs per part and holds the event loop; uploads have at most five. Source: ours.
const MOST_PARTS = 50

/** @returns undefined if it is no form, or has too many parts */
export async function readForm(c: Context): Promise<FormData | undefined> {
  return await parseForm(c, Buffer.from(await c.req.arrayBuffer()))
}

/** @returns as readForm */
export async function parseForm(c: Context, body: Buffer<ArrayBuffer>): Promise<FormData | undefined> {
  const type = c.req.header('content-type') ?? ''
  const [, boundary] = /;\s*boundary="?([^";\s]+)/i.exec(type) ?? []
  if (boundary === undefined || hasMore(body, `--${boundary}`, MOST_PARTS)) return undefined
  return await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => undefined)
}

function hasMore(bytes: Buffer, text: string, most: number): boolean {
  let found = 0
  for (let at = bytes.indexOf(text); at >= 0 && found <= most; at = bytes.indexOf(text, at + text.length)) found += 1
  return found > most
}
