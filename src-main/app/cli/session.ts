import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { EndpointView } from '../../contract/endpoint.ts'
import { pathInApp } from '../../features/apps/rules/app-environment.ts'
import type { fitsContract, Operation } from '../client/calls.ts'
import type { ServerSentEvent } from '../client/http.ts'
import type { ServiceArguments, ServiceClient } from '../client/service-client.ts'
import { CliError, isUnreachable } from './cli-error.ts'
import { nearest } from './did-you-mean.ts'
import { type FoundService, findService, type ServiceOptions } from './find-service.ts'
import { createOutput, type Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

export type GlobalOptions = ServiceOptions & { readonly json?: true }

export type Session = {
  readonly client: ServiceClient
  readonly output: Output
  readonly options: GlobalOptions
  readonly service: FoundService
}

export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>()
}

export function outputOf(command: Command, surroundings: Surroundings): Output {
  const { json, data } = globalOptions(command)
  return createOutput(surroundings, json === true, data)
}

export async function openSession(
  command: Command,
  surroundings: Surroundings,
  options: GlobalOptions = globalOptions(command),
): Promise<Session> {
  const service = await findService(options, surroundings)
  // Loaded here, because it loads the schemas, which `--help` and a stopped service do not need.
  const [{ createClient }, { reconnecting }] = await Promise.all([import('./client.ts'), import('./reconnect.ts')])
  const client = explainingRefusals(reconnecting(createClient(service), surroundings))
  return { client, output: outputOf(command, surroundings), options, service }
}

function explainingRefusals(client: ServiceClient): ServiceClient {
  async function explained(
    error: unknown,
    operation: Operation,
    args: Parameters<typeof fitsContract>[1],
  ): Promise<unknown> {
    if (!(error instanceof CliError)) return error
    const { body, message } = error
    if (body.code === 'BAD_FIELD') {
      const { fitsContract } = await import('../client/calls.ts')
      return fitsContract(operation, args) ? error : new CliError('USAGE', { why: message }, { body, cause: error })
    }
    const { path = {} } = args
    if (body.code !== 'ENDPOINT_NOT_FOUND' || !('endpointId' in path)) return error
    // With an endpoint's key, other endpoints cannot be listed, so nothing is suggested.
    const { endpoints } = await client.call('endpointList').catch(() => ({ endpoints: [] }))
    const hint = hintOf(String(path.endpointId), endpoints)
    if (hint === undefined) return error
    const why = `${message} ${hint}`
    return new CliError('SERVICE_REFUSED', { why }, { body: { ...body, error: why }, cause: error })
  }
  return {
    ...client,
    call: (operation, args) =>
      client
        .call(operation, args)
        .catch(async (error: unknown) => Promise.reject(await explained(error, operation, args ?? {}))),
  }
}

/** Suggests endpoints of apps whose handler has this name; otherwise the nearest id. */
function hintOf(asked: string, endpoints: readonly Pick<EndpointView, 'id' | 'app'>[]): string | undefined {
  const named = endpoints.flatMap(({ id, app }) =>
    app !== undefined && [app.resource, `${app.name}/${app.resource}`, pathInApp(app)].includes(asked)
      ? [`${id} (${pathInApp(app)})`]
      : [],
  )
  if (named.length > 0) return `${named.length === 1 ? 'Its id is' : 'Give one of these ids:'} ${named.join(', ')}.`
  const near = nearest(
    asked,
    endpoints.map(({ id }) => id),
  )
  return near && `Did you mean ${near}?`
}

/**
 * Tells an empty list of an endpoint from a mistyped id.
 * @throws CliError SERVICE_REFUSED if there is no such endpoint
 */
export async function expectEndpoint(client: ServiceClient, endpointId: string | undefined): Promise<void> {
  if (endpointId !== undefined) await client.call('endpointRead', { path: { endpointId } })
}

// ms before reopening a stream. Source: ours, unnoticeable, yet no load if every stream ends at once.
const AGAIN_AFTER_MS = 100

/**
 * Follows events up to `end`. Resumes a stream that ends or breaks without it.
 * @param argumentsAfter call arguments by the last event id
 * @throws CliError NOT_REACHABLE if the service stays away
 */
export async function* followToEnd(
  client: Pick<ServiceClient, 'follow'>,
  operation: Operation,
  argumentsAfter: (lastId: string | undefined) => ServiceArguments,
): AsyncGenerator<ServerSentEvent> {
  const { isBroken, RECONNECT_EVERY_MS, RECONNECTS } = await import('./reconnect.ts')
  let lastId: string | undefined
  let wasReached = false
  for (let failures = 0; ; ) {
    try {
      for await (const event of client.follow(operation, argumentsAfter(lastId))) {
        yield event
        if (event.event === 'end') return
        lastId = event.id ?? lastId
        failures = 0
        wasReached = true
      }
      wasReached = true
      await pause(AGAIN_AFTER_MS)
    } catch (error) {
      wasReached ||= isBroken(error)
      failures += 1
      if (!isUnreachable(error) || !wasReached || failures > RECONNECTS) throw error
      await pause(RECONNECT_EVERY_MS)
    }
  }
}
