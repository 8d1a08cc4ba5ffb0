import type { Command } from 'commander'
import { ago } from '../../format.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock app list`: all apps, one a line. */
export function addAppList(parent: Command, surroundings: Surroundings): void {
  parent
    .command('list', { isDefault: true })
    .description('list apps')
    .addHelpText('after', '\nExamples:\n  $ drydock app list\n  $ drydock app list --json')
    .action(async (_options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('appList')
      if (output.json) output.document(answer)
      else if (answer.apps.length === 0)
        output.hint('There is no app. Deploy one: drydock init demo, then drydock deploy')
      else
        output.table(
          ['APP', 'CREATED', 'ENVIRONMENTS'],
          answer.apps.map(({ name, createdAt, environments }) => [
            name,
            ago(createdAt, surroundings.now()),
            environments.map((environment) => environment.name).join(', '),
          ]),
        )
    })
}
