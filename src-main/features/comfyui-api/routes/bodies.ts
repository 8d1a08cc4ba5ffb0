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
