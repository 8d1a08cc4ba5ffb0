import type { Command } from 'commander'
import type { ServiceClient } from './client.ts'
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
  return createOutput(surroundings, globalOptions(command).json === true)
}

/**
 * Finds the service a command means and makes the client for it.
 * @throws CliError NOT_RUNNING, KEY_MISSING, USAGE
 */
export async function openSession(command: Command, surroundings: Surroundings): Promise<Session> {
  const options = globalOptions(command)
  // Loaded here and not above: it brings the schemas along, which `--help` has no use for.
  const [{ createClient }, service] = await Promise.all([import('./client.ts'), findService(options, surroundings)])
  return { client: createClient(service), output: outputOf(command, surroundings), options, service }
}
