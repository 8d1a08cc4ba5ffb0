import type { ZodType } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * One row of a route table. `path` holds `:name` places. The OpenAPI document, the router and the tests are made from
 * these rows.
 */
export type Route = {
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
  readonly path: string
  readonly summary: string
  /** Query parameters: name to schema. */
  readonly query?: Readonly<Record<string, ZodType>>
  readonly body?: ZodType
  /** Type of a body that is no JSON. A page of another origin could not send it without asking first; bytes go with PUT. */
  readonly bodyType?: 'application/octet-stream' | 'application/x-ndjson'
  readonly answer: ZodType
  readonly errors: readonly ErrorCode[]
  /** Who says so: the specification, the platform or ours. */
  readonly source: string
}
