import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../../../contract/errors.ts'
import { errorResponse } from '../../../http/error-response.ts'
import { isRecord } from '../../../lib/json/plain.ts'
import { sizeText } from '../../../lib/text.ts'

export function boundBody(most: number, service: Parameters<typeof errorResponse>[2]): MiddlewareHandler {
  const error = (path: string) => new AppError('BODY_TOO_LARGE', { limit: sizeText(most), operation: path })
  return bodyLimit({ maxSize: most, onError: (c) => errorResponse(c, error(c.req.path), service) })
}

/** Accepts any content type, since many clients send none. */
export async function readBody(c: Context): Promise<Readonly<Record<string, unknown>>> {
  const text = await c.req.text()
  const body: unknown = text === '' ? {} : await c.req.json().catch(() => undefined)
  if (!isRecord(body)) throw new AppError('BAD_FIELD', { field: 'body', why: 'must be a JSON object' })
  return body
}
