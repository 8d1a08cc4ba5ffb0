import {
  type DocumentNode,
  execute,
  GraphQLError,
  getOperationAST,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql'
import { z } from 'zod'
import { AppError } from '../../../../contract/errors.ts'
import { fieldError } from '../../../../http/error-response.ts'
import { plainJson } from '../../../../lib/json/plain.ts'
import type { FindEndpoint } from '../../../apps/environment-endpoints.ts'
import type { Caller } from '../../../keys/keys.ts'
import { reasonNotHere } from './not-here.ts'
import { GUEST_FIELDS, type PlatformServices } from './platform-schema.ts'
import type { QueryContext } from './resolvers.ts'
import { createStateSchema } from './schema.ts'

export type RunQuery = (body: string, context: QueryContext) => Promise<Response>

/** A query from clients. Tools send extensions, which are ignored. Source: GraphQL over HTTP. */
const queryRequest = z.strictObject({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
})

type QueryAnswer = {
  readonly status: number
  readonly result: { readonly data?: unknown; readonly errors?: readonly GraphQLError[] }
}

export function createQueryServer(service: PlatformServices, findEndpoint: FindEndpoint): RunQuery {
  const schema = createStateSchema(service, findEndpoint)

  function shownError(error: GraphQLError): GraphQLError {
    const { originalError: cause, nodes, path } = error
    if (cause === undefined || cause instanceof GraphQLError) return error
    const known = cause instanceof AppError ? cause : new AppError('INTERNAL', { requestId: service.newId.worker() })
    if (known !== cause) service.log.error('query failed', { requestId: known.data.requestId, error: cause })
    return new GraphQLError(known.message, { nodes, path, extensions: { code: known.code } })
  }

  async function response(body: string, context: QueryContext): Promise<QueryAnswer> {
    const { caller } = context
    const request = readRequest(body)
    if (typeof request === 'string') return { status: 400, result: refused([new GraphQLError(request)], 'BAD_REQUEST') }
    const document = readDocument(request.query, caller)
    const notHere = document instanceof GraphQLError ? undefined : reasonNotHere(document)
    if (notHere !== undefined) return { status: 200, result: refused([notHere], 'NOT_ON_THIS_MACHINE') }
    if (caller.holder === 'guest' && (document instanceof GraphQLError || !isForGuests(document)))
      throw new AppError('UNAUTHORIZED')
    if (document instanceof GraphQLError) return { status: 200, result: refused([document], 'GRAPHQL_PARSE_FAILED') }
    const faults = validate(schema, document)
    if (faults.length > 0) return { status: 200, result: refused(faults, 'GRAPHQL_VALIDATION_FAILED') }
    if (!getOperationAST(document, request.operationName)) {
      const error = new GraphQLError('Could not determine what operation to execute.')
      return { status: 400, result: refused([error], 'OPERATION_RESOLUTION_FAILURE') }
    }
    const { data, errors } = await execute({
      schema,
      document,
      operationName: request.operationName,
      variableValues: request.variables,
      contextValue: context,
    })
    // Without data nothing was executed: the variables do not fit the query.
    const status = data === undefined ? 400 : 200
    return { status, result: errors === undefined ? { data } : { data, errors: errors.map(shownError) } }
  }

  return async (body, context) => {
    const { status, result } = await response(body, context)
    return Response.json(result, { status })
  }
}

function readRequest(body: string): z.infer<typeof queryRequest> | string {
  const value = plainJson(body)
  if (value === undefined) return 'The body is not JSON.'
  const { data, error } = queryRequest.safeParse(value)
  return data ?? fieldError(error).message
}

function readDocument(query: string, caller: Caller): DocumentNode | GraphQLError {
  try {
    const document = parse(query, { maxTokens: MAX_TOKENS })
    const problem = queryProblem(document, caller.role !== undefined)
    return problem === undefined ? document : new GraphQLError(problem)
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}

function isForGuests({ definitions }: DocumentNode): boolean {
  return definitions.every(
    (definition) =>
      definition.kind === 'OperationDefinition' &&
      definition.selectionSet.selections.every(
        (selection) => selection.kind === 'Field' && GUEST_FIELDS.has(selection.name.value),
      ),
  )
}

function refused(errors: readonly GraphQLError[], code: string): QueryAnswer['result'] {
  return {
    errors: errors.map(
      ({ message, nodes, source, positions }) =>
        new GraphQLError(message, { nodes, source, positions, extensions: { code } }),
    ),
  }
}

// Checks size first; fragments count per spread and fields per alias, so that a short text cannot ask for much.

/** Maximum field depth. Source: ours, twice the schema's. */
const MAX_DEPTH = 8
/** Limit of all fields; source: ours, four times those of an app with everything in it. */
const MAX_FIELDS = 200
/** Maximum parser tokens. Source: ours, twice what 200 fields with arguments take. */
const MAX_TOKENS = 4000

type Size = { readonly depth: number; readonly fields: number; readonly introspects: boolean }

const NOTHING: Size = { depth: 0, fields: 0, introspects: false }
// Validation limits the depth of introspection, which tools use more deeply than our queries.
const INTROSPECTION: readonly string[] = ['__schema', '__type']

function queryProblem(document: DocumentNode, mayIntrospect: boolean): string | undefined {
  const { depth, fields, introspects } = measure(document)
  if (depth > MAX_DEPTH) return `The query is more than ${MAX_DEPTH} levels deep. Ask for less at a time.`
  if (fields > MAX_FIELDS)
    return `The query asks for more than ${MAX_FIELDS} fields, counting fragments and aliases. Ask for less at a time.`
  if (introspects && !mayIntrospect) return 'This key may not ask for the schema. Use the account key.'
  return undefined
}

function measure({ definitions }: DocumentNode): Size {
  const fragments = new Map(
    definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  )
  const measured = new Map<string, Size>()

  function sizeOfFragment(name: string): Size {
    const known = measured.get(name)
    if (known !== undefined) return known
    measured.set(name, NOTHING)
    const set = fragments.get(name)
    const size = set === undefined ? NOTHING : sizeOf(set)
    measured.set(name, size)
    return size
  }

  function sizeOf({ selections }: SelectionSetNode): Size {
    const sizes = selections.map((selection): Size => {
      if (selection.kind === 'FragmentSpread') return sizeOfFragment(selection.name.value)
      if (selection.kind === 'InlineFragment') return sizeOf(selection.selectionSet)
      const introspects = INTROSPECTION.includes(selection.name.value)
      const inner = selection.selectionSet === undefined || introspects ? NOTHING : sizeOf(selection.selectionSet)
      return { depth: inner.depth + 1, fields: inner.fields + 1, introspects: inner.introspects || introspects }
    })
    return sizes.reduce(together, NOTHING)
  }

  const operations = definitions.flatMap((definition) =>
    definition.kind === 'OperationDefinition' ? [sizeOf(definition.selectionSet)] : [],
  )
  const all = operations.reduce(together, NOTHING)
  // Validation also compares the fields of unused fragments before it refuses them.
  return { ...all, fields: Math.max(all.fields, ...[...fragments.keys()].map((name) => sizeOfFragment(name).fields)) }
}

function together(one: Size, other: Size): Size {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    introspects: one.introspects || other.introspects,
  }
}
