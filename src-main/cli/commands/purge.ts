import type { Command } from 'commander'
import { counted } from '../format.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock purge`: cancel all jobs of an endpoint that wait. */
export function addPurge(program: Command, surroundings: Surroundings): void {
  program
    .command('purge')
    .description('cancel all jobs of an endpoint that wait; running ones go on')
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock purge hello\n  $ drydock purge hello --json')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('purgeQueue', { path: { endpointId } })
      if (output.json) output.document(answer)
      else output.line(`${counted(answer.removed, 'waiting job')} of ${endpointId} cancelled`)
    })
}
