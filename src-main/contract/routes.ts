import { type ZodType, z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './roles.ts'

/** `path` has `:name` parameters. Router, OpenAPI document, client and tests are generated from these rows. */
export type Route = {
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
  readonly path: string
  readonly summary: string
  /** Required role; undefined: read for GET, deploy for everything else. */
  readonly role?: Role
  /** It is one of many small steps, so the audit log omits it. */
  readonly isStep?: true
  /** Schemas of path parameters by name. Others are any text. */
  readonly params?: Readonly<Record<string, ZodType>>
  readonly query?: Readonly<Record<string, ZodType>>
  readonly body?: ZodType
  /** Type of a body other than JSON. Pages of another origin cannot send it without a preflight; bytes use PUT. */
  readonly bodyType?: 'application/octet-stream' | 'application/x-ndjson' | 'application/gzip'
  /** Largest body in bytes, and its name in the error; undefined: that of the management API. */
  readonly bodyLimit?: { readonly bytes: number; readonly name: string; readonly values?: number }
  readonly readsOwnBody?: true
  /** The operation passes payloads on unchanged, so their long strings need not be parsed. */
  readonly passesPayloads?: true
  readonly response: ZodType
  /** Status of success; undefined: 200. */
  readonly status?: 201 | 204
  readonly errors?: readonly ErrorCode[]
  /** A document, or a reason; undefined: that of the table, or else `ours`. */
  readonly source?: string
}

type Method = Route['methods'][number]

const rowsOf =
  <const Name extends Method>(method: Name) =>
  <const Path extends string, const Rest extends Omit<Route, 'methods' | 'path' | 'summary'>>(
    path: Path,
    summary: string,
    rest: Rest,
  ) => ({ methods: [method] as const, path, summary, ...rest })

export const GET = rowsOf('GET')
export const POST = rowsOf('POST')
export const PUT = rowsOf('PUT')
export const PATCH = rowsOf('PATCH')
export const DELETE = rowsOf('DELETE')

/**
 * Returns the route's role or its method's default.
 * @param method upper case
 */
export function roleFor({ role }: Pick<Route, 'role'>, method: string): Role {
  return role ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'deploy')
}

type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Schemas = Readonly<Record<string, ZodType>>
type SchemasOf<Row, Field extends 'params' | 'query'> =
  Row extends Readonly<Record<Field, infer Given extends Schemas>> ? Given : Readonly<Record<never, ZodType>>

export type PathOf<Row extends Pick<Route, 'path'>> = {
  readonly [Name in PathNames<Row['path']>]: Name extends keyof SchemasOf<Row, 'params'>
    ? z.output<SchemasOf<Row, 'params'>[Name]>
    : string
}

export type QueryOf<Row> = {
  readonly [Name in keyof SchemasOf<Row, 'query'>]: z.output<SchemasOf<Row, 'query'>[Name]>
}

/** The JSON body of a route, as parsed; undefined if it takes none. */
export type BodyOf<Row> = Row extends { readonly body: infer Schema extends ZodType } ? z.output<Schema> : undefined

/** Makes a type read-only, as schemas infer types that are mutable. */
export type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value

export type ResponseOf<Row extends Pick<Route, 'response'>> = z.output<Row['response']>

export const done = z.object({ ok: z.literal(true) })

export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

export const wholeNumberTo = (most: number, least = 1) =>
  wholeNumber.refine((n) => n >= least && n <= most, `must be from ${least} to ${most}`)

export const moment = z.number().int().describe('ms since the epoch')
