import type { Command } from 'commander'
import { confirmDeletion } from '../ask.ts'
import type { PlaceOptions } from '../deploy/app-place.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock undeploy`: delete the endpoints of an environment. */
export function addUndeploy(program: Command, surroundings: Surroundings): void {
  program
    .command('undeploy')
    .description('delete the endpoints of an environment with their jobs; releases and variables stay')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .option('--app <app>', "app (default: SVC_APP, else this folder's)")
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\n`drydock rollback` brings the endpoints back.\n\nExamples:\n  $ drydock undeploy\n  $ drydock undeploy --env staging --yes',
    )
    .action(async ({ yes, ...options }: PlaceOptions & { yes?: true }, command: Command) => {
      const { existingPlace } = await import('../deploy/app-place.ts')
      const { client, output } = await openSession(command, surroundings)
      const place = await existingPlace(client, options, surroundings)
      const { endpoints } = await client.call('environmentRead', { path: place })
      const names = endpoints.map(({ resource }) => resource).join(', ')
      const of = `${place.app}/${place.environment}`
      if (endpoints.length > 0) {
        const what = `${endpoints.length === 1 ? 'endpoint' : 'endpoints'} ${names} of ${of}`
        const question = `Delete ${what} with all jobs, results and logs?`
        await confirmDeletion({ yes: yes === true, what, question }, output, surroundings)
      }
      const answer = await client.call('environmentUndeploy', { path: place })
      if (output.json) output.document(answer)
      else if (answer.deleted.length === 0) output.line(`${of} has no endpoints.`)
      else output.line(`deleted ${answer.deleted.join(', ')} of ${of}`)
    })
}
