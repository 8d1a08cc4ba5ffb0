import { confirmDeletion, noteBroken, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { ago } from '../../../lib/text.ts'
import { deletionText, environmentParts } from '../../endpoints/rules/deletion-text.ts'
import { missingText } from '../rules/missing-endpoints.ts'
import { findBreaks } from './find-breaks.ts'
import { showEnvironments } from './show-environment.ts'

export function addApp(app: CliCommand, surroundings: Surroundings): void {
  app
    .command('list', { isDefault: true })
    .description('list apps')
    .examples('drydock app list', 'drydock app list --json')
    .onSession(async ({ client, output }) => {
      const response = await client.call('appList')
      output.list(
        response,
        'There are no apps yet. Deploy one: drydock init demo, then drydock deploy',
        ['APP', 'CREATED', 'ENVIRONMENTS'],
        response.apps.map(({ name, createdAt, environments }) => [
          name,
          ago(createdAt, surroundings.now()),
          environments
            .map(({ name, missing }) => (missing === undefined ? name : `${name} (${missingText(missing)})`))
            .join(', '),
        ]),
      )
    })

  app
    .command('show')
    .alias('get')
    .description('show an app with its environments')
    .argument('<app>', 'name of the app')
    .examples('drydock app show demo')
    .action(async (name: string, _options: object, command: CliCommand) => {
      const { checkedApp } = await import('./deploy/app-target.ts')
      const app = checkedApp(name)
      const { client, output } = await openSession(command, surroundings)
      const response = await client.call('appRead', { path: { app } })
      output.result(response, () => showEnvironments(output, response, surroundings.now()))
    })

  app
    .command('delete')
    .description('delete an app: its environments, endpoints, releases and variables')
    .argument('<app>', 'name of the app')
    .option(...YES)
    .examples('drydock app delete demo', 'drydock app delete demo --yes')
    .action(async (name: string, { yes }: { yes?: true }, command: CliCommand) => {
      const { checkedApp } = await import('./deploy/app-target.ts')
      const app = checkedApp(name)
      const { client, output } = await openSession(command, surroundings)
      const { environments } = await client.call('appRead', { path: { app } })
      const details = await Promise.all(
        environments.map((each) => client.call('environmentRead', { path: { app, environment: each.name } })),
      )
      const breaks = await findBreaks(
        client,
        details.flatMap(({ endpoints }) => endpoints),
      )
      const parts = details.map((each) => [`environment ${each.name}`, ...environmentParts(each)].join(', '))
      const what = deletionText(`app ${app}`, parts)
      await confirmDeletion({ yes, what, breaks, question: `Delete ${what}?` }, output, surroundings)
      const response = await client.call('appDelete', { path: { app } })
      output.result(response, `app ${app} deleted`)
      noteBroken(breaks, output)
    })
}
