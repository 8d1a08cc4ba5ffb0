import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEnvironment } from '../../show-environment.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env get`: an environment with its endpoints, releases and names of variables. */
export function addEnvGet(parent: Command, surroundings: Surroundings): void {
  parent
    .command('get')
    .description('print an environment: endpoints, releases, variables without their values')
    .argument('[env]', 'name of the environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .addHelpText('after', '\nExamples:\n  $ drydock env get\n  $ drydock env get staging')
    .action(async (env: string | undefined, options: { app?: string }, command: Command) => {
      const { existingPlace } = await import('../../deploy/app-place.ts')
      const { client, output } = await openSession(command, surroundings)
      const path = await existingPlace(client, { ...options, ...(env === undefined ? {} : { env }) }, surroundings)
      const answer = await client.call('environmentRead', { path })
      if (output.json) output.document(answer)
      else showEnvironment(output, answer, surroundings.now())
    })
}
