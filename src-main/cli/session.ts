/**
 * What a command has of its service: the options that every command takes, the client, and streams followed to their
 * end.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Operation } from '../client/calls.ts'
import type { ServerSentEvent } from '../client/http.ts'
import type { ServiceArguments, ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'
import { nearest } from './did-you-mean.ts'
import { type FoundService, findService, type ServiceOptions } from './find-service.ts'
import { createOutput, type Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

/** Options that every command takes, before or after its name. */
export type GlobalOptions = ServiceOptions & { readonly json?: true }

/** What a command that talks to a service works with. */
export type Session = {
  readonly client: ServiceClient
  readonly output: Output
  readonly options: GlobalOptions
  readonly service: FoundService
}

/** The global options of a command. */
export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>()
}

/** The output of a command, by its `--json`. */
export function outputOf(command: Command, surroundings: Surroundings): Output {
  const { json, data } = globalOptions(command)
  return createOutput(surroundings, json === true, data)
}

/**
 * Finds the service a command means and makes the client for it.
 * @param options of the command, where they are not those that it was given
 * @throws CliError NOT_RUNNING, KEY_MISSING, USAGE
 */
export async function openSession(
  command: Command,
  surroundings: Surroundings,
  options: GlobalOptions = globalOptions(command),
): Promise<Session> {
  const service = await findService(options, surroundings)
  // Loaded here and not above: it brings the schemas along, of no use to `--help` or where no service runs.
  const { createClient } = await import('./client.ts')
  const client = withSuggestions(createClient(service))
  return { client, output: outputOf(command, surroundings), options, service }
}

/** A client that suggests the nearest id when an endpoint is not found. */
function withSuggestions(client: ServiceClient): ServiceClient {
  async function suggest(error: unknown, { path = {} }: { readonly path?: object }): Promise<unknown> {
    const isUnknown = error instanceof CliError && error.body.code === 'ENDPOINT_NOT_FOUND'
    if (!isUnknown || !('endpointId' in path)) return error
    // The key of an endpoint may not list others.
    const { endpoints } = await client.call('endpointList').catch(() => ({ endpoints: [] }))
    const near = nearest(
      String(path.endpointId),
      endpoints.map(({ id }) => id),
    )
    if (near === undefined) return error
    const why = `${error.message} Did you mean ${near}?`
    return new CliError('SERVICE_REFUSED', { why }, { body: { ...error.body, error: why }, cause: error })
  }
  return {
    ...client,
    call: (operation, args) =>
      client.call(operation, args).catch(async (error: unknown) => Promise.reject(await suggest(error, args ?? {}))),
  }
}

/**
 * Tells an empty list of an endpoint from a mistyped id.
 * @throws CliError SERVICE_REFUSED if there is no such endpoint
 */
export async function expectEndpoint(client: ServiceClient, endpointId: string | undefined): Promise<void> {
  if (endpointId !== undefined) await client.call('endpointRead', { path: { endpointId } })
}

// Pause before a stream that the service ended is asked for again, in ms; source: ours, too short to be noticed and
// long enough not to load a service that ends every stream at once.
const AGAIN_AFTER_MS = 100

/**
 * Follows an operation until an `end` event, which is the last one given. A service that stops ends its streams without
 * one: then it is asked again, from where it ended, and a service that is gone shows as NOT_REACHABLE.
 * @param argumentsAfter the arguments of the call, by the id of the last event that was seen
 */
export async function* followToEnd(
  client: ServiceClient,
  operation: Operation,
  argumentsAfter: (lastId: string | undefined) => ServiceArguments,
): AsyncGenerator<ServerSentEvent> {
  let lastId: string | undefined
  for (;;) {
    for await (const event of client.follow(operation, argumentsAfter(lastId))) {
      yield event
      if (event.event === 'end') return
      lastId = event.id ?? lastId
    }
    await pause(AGAIN_AFTER_MS)
  }
}
