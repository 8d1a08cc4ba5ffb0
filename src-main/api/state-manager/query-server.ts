import type { GraphQLError } from 'graphql'
import { createGraphQLError, createYoga, maskError as maskUnexpected, type Plugin } from 'graphql-yoga'
import { AppError } from '../../contract/errors.ts'
import type { FindEndpoint } from '../../services/apps/find-endpoint.ts'
import type { Caller } from '../../services/management/keys.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { MAX_TOKENS, queryFault } from './query-limits.ts'
import { createStateSchema, type QueryContext } from './schema.ts'

/** Answers the body of a request; what is wrong with it is in the answer. */
export type AnswerQuery = (body: string, caller: Caller) => Promise<Response>

const JSON_TYPE = { 'content-type': 'application/json' }
const PATH = '/graphql'

/** Makes the GraphQL server: queries in JSON and nothing else; no page, no other origins, no files, no lists of queries. */
export function createQueryServer(service: ServiceContext, findEndpoint: FindEndpoint): AnswerQuery {
  const { log, newId } = service

  // What is wrong with the query itself is shown, and so are the errors that the service means to be read.
  function maskError(error: unknown, message: string): Error {
    const masked = maskUnexpected(error, message, false)
    if (masked === error) return masked
    const { originalError: cause = error, nodes, path } = error as Partial<GraphQLError>
    const known = cause instanceof AppError ? cause : new AppError('INTERNAL', { requestId: newId.worker() })
    if (known !== cause) log.error('query failed', { requestId: known.data.requestId, error: cause })
    const place = { ...(nodes === undefined ? {} : { nodes }), ...(path === undefined ? {} : { path }) }
    return createGraphQLError(known.message, { ...place, extensions: { code: known.code } })
  }

  const limits: Plugin<QueryContext> = {
    onParse({ context, parseFn, setParseFn }) {
      setParseFn((source, options) => {
        const document = parseFn(source, { ...options, maxTokens: MAX_TOKENS })
        const fault = queryFault(document, context.caller.holder === 'account')
        if (fault !== undefined) throw createGraphQLError(fault)
        return document
      })
    },
  }

  const yoga = createYoga<QueryContext>({
    schema: createStateSchema(service, findEndpoint),
    graphqlEndpoint: PATH,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    logging: false,
    // It would keep that a query may be asked, found for one caller, for the next one, who may not ask it.
    parserAndValidationCache: false,
    maskedErrors: { maskError, isDev: false },
    plugins: [limits],
  })

  return async (body, caller) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, accept: 'application/json' }, body }
    const answer = await yoga.fetch(`http://localhost${PATH}`, init, { caller })
    return new Response(await answer.text(), { status: answer.status, headers: JSON_TYPE })
  }
}
