import { type ZodType, z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './roles.ts'

/**
 * One row of a route table. `path` holds `:name` parameters. The router reads requests by these rows, and hands typed
 * values to the operation; the OpenAPI document, the client and the tests are made from them too.
 */
export type Route = {
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]
  readonly path: string
  readonly summary: string
  /** What a key must be allowed to do; undefined: read to GET, deploy for everything else. */
  readonly role?: Role
  /** It is one of many small steps, and not listed among the changes that people made. */
  readonly isStep?: true
  /** Path parameters that have a form: name to schema. The others are any text. */
  readonly params?: Readonly<Record<string, ZodType>>
  /** Query parameters: name to schema. */
  readonly query?: Readonly<Record<string, ZodType>>
  readonly body?: ZodType
  /**
   * Type of a body that is no JSON. A page of another origin could not send it without asking first; bytes go with PUT.
   */
  readonly bodyType?: 'application/octet-stream' | 'application/x-ndjson' | 'application/gzip'
  /** Largest body in bytes, and what it is called in the error; undefined: that of the management API. */
  readonly bodyLimit?: { readonly bytes: number; readonly name: string }
  /** The operation passes payloads of the body on as they came, so their long strings need not be parsed. */
  readonly passesPayloads?: true
  readonly response: ZodType
  readonly errors: readonly ErrorCode[]
  /** Who says so: the specification, the platform or ours. */
  readonly source: string
}

/** The role that a route needs: its own, else by what it does. @param method of the request, upper case */
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

/** The path parameters of a route as the router reads them. */
export type PathOf<Row extends Pick<Route, 'path'>> = {
  readonly [Name in PathNames<Row['path']>]: Name extends keyof SchemasOf<Row, 'params'>
    ? z.output<SchemasOf<Row, 'params'>[Name]>
    : string
}

/** The query parameters of a route as the router reads them. */
export type QueryOf<Row> = {
  readonly [Name in keyof SchemasOf<Row, 'query'>]: z.output<SchemasOf<Row, 'query'>[Name]>
}

/** The JSON body of a route as the router reads it; undefined where it takes none. */
export type BodyOf<Row> = Row extends { readonly body: infer Schema extends ZodType } ? z.output<Schema> : undefined

/** What is only read: schemas infer types that may be written. */
export type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value

/** What a route answers. */
export type ResponseOf<Row extends Pick<Route, 'response'>> = z.output<Row['response']>

/** The response of an operation that has nothing to tell but that it was done. */
export const done = z.object({ ok: z.literal(true) })

/** A whole number in a query, 0 or more. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** A whole number in a query, at most `most`. */
export const wholeNumberTo = (most: number, least = 1) =>
  wholeNumber.refine((n) => n >= least && n <= most, `must be from ${least} to ${most}`)

/** A time in a body. */
export const moment = z.number().int().describe('ms since the epoch')
