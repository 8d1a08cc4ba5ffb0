import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env create`: make an environment, and its app if it is missing. */
export function addEnvCreate(parent: Command, surroundings: Surroundings): void {
  parent
    .command('create')
    .description('make an environment, and its app if it is missing; a deploy does so too')
    .argument('<env>', 'name of the environment')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .addHelpText(
      'after',
      '\nFor variables that the first release is to have.\n\nExamples:\n  $ drydock env create staging\n  $ drydock env set --env staging API_TOKEN < token.txt',
    )
    .action(async (name: string, options: { app?: string }, command: Command) => {
      const { appOf, checkedEnvironment } = await import('../../deploy/app-place.ts')
      const app = appOf(options.app, surroundings)
      const body = { name: checkedEnvironment(name) }
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('environmentCreate', { path: { app }, body })
      if (output.json) output.document(answer)
      else output.line(`environment ${app}/${name} made`)
    })
}
