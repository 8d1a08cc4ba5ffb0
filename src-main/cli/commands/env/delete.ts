import type { Command } from 'commander'
import { confirmDeletion } from '../../ask.ts'
import { counted } from '../../format.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock env delete`: delete an environment with everything that belongs to it. */
export function addEnvDelete(parent: Command, surroundings: Surroundings): void {
  parent
    .command('delete')
    .description('delete an environment: its endpoints, releases and variables')
    .argument('<env>', 'name of the environment')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  $ drydock env delete staging\n  $ drydock env delete staging --yes')
    .action(async (environment: string, { yes, ...options }: { app?: string; yes?: true }, command: Command) => {
      const { appOf, checkedEnvironment } = await import('../../deploy/app-place.ts')
      const path = { app: appOf(options.app, surroundings), environment: checkedEnvironment(environment) }
      const { client, output } = await openSession(command, surroundings)
      const { endpoints, variables } = await client.call('environmentRead', { path })
      const parts = [
        ...endpoints.map(({ resource }) => `endpoint ${resource}`),
        ...(variables.length === 0 ? [] : [counted(variables.length, 'variable')]),
      ]
      const what = `environment ${path.app}/${environment}${parts.length === 0 ? '' : ` with ${parts.join(', ')}`}`
      const question = `Delete ${what}, all jobs and releases?`
      await confirmDeletion({ yes: yes === true, what, question }, output, surroundings)
      const answer = await client.call('environmentDelete', { path })
      if (output.json) output.document(answer)
      else output.line(`environment ${path.app}/${environment} deleted`)
    })
}
