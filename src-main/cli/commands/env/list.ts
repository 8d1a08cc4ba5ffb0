import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEnvironments } from '../../show-environment.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env list`: the environments of an app, one a line. */
export function addEnvList(parent: Command, surroundings: Surroundings): void {
  parent
    .command('list', { isDefault: true })
    .description('list the environments of an app')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .addHelpText('after', '\nExamples:\n  $ drydock env list\n  $ drydock env list --app demo --json')
    .action(async (options: { app?: string }, command: Command) => {
      const { appOf } = await import('../../deploy/app-place.ts')
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('appRead', { path: { app: appOf(options.app, surroundings) } })
      if (output.json) output.document(answer)
      else showEnvironments(output, answer, surroundings.now())
    })
}
