import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEnvironments } from '../../show-environment.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock app get`: an app with its environments. */
export function addAppGet(parent: Command, surroundings: Surroundings): void {
  parent
    .command('get')
    .description('print an app with its environments')
    .argument('<app>', 'name of the app')
    .addHelpText('after', '\nExamples:\n  $ drydock app get demo')
    .action(async (name: string, _options: object, command: Command) => {
      const { checkedApp } = await import('../../deploy/app-place.ts')
      const app = checkedApp(name)
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('appRead', { path: { app } })
      if (output.json) output.document(answer)
      else showEnvironments(output, answer, surroundings.now())
    })
}
