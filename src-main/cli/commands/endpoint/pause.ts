import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEndpoint } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint pause`: hand out no further job; jobs are still accepted and wait. */
export function addEndpointPause(parent: Command, surroundings: Surroundings): void {
  parent
    .command('pause')
    .description('hand out no further job; jobs are still accepted and wait')
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock endpoint pause hello')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      showEndpoint(output, await client.call('endpointPause', { path: { endpointId } }), surroundings.now())
    })
}
