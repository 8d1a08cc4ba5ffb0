import type { Command } from 'commander'
import { confirmDeletion } from '../../ask.ts'
import { counted } from '../../format.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock app delete`: delete an app with everything that belongs to it. */
export function addAppDelete(parent: Command, surroundings: Surroundings): void {
  parent
    .command('delete')
    .description('delete an app: its environments, endpoints, releases and variables')
    .argument('<app>', 'name of the app')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  $ drydock app delete demo\n  $ drydock app delete demo --yes')
    .action(async (name: string, { yes }: { yes?: true }, command: Command) => {
      const { checkedApp } = await import('../../deploy/app-place.ts')
      const app = checkedApp(name)
      const { client, output } = await openSession(command, surroundings)
      const { environments } = await client.call('appRead', { path: { app } })
      const parts = environments.map((each) => `${each.name} (${counted(each.endpoints, 'endpoint')})`).join(', ')
      const what = `app ${app}${parts === '' ? '' : ` with ${parts}`}`
      const question = `Delete ${what}, all jobs, releases and variables?`
      await confirmDeletion({ yes: yes === true, what, question }, output, surroundings)
      const answer = await client.call('appDelete', { path: { app } })
      if (output.json) output.document(answer)
      else output.line(`app ${app} deleted`)
    })
}
