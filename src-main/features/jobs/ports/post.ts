import type { Json } from '../../../lib/json/bytes.ts'

export type Poster = (request: {
  readonly url: string
  readonly body: Json
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly allowPrivate: boolean
}) => Promise<{ readonly status: number | undefined; readonly error: string | undefined }>
