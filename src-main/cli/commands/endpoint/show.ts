import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEndpoint } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint show`: print the settings of an endpoint. */
export function addEndpointShow(parent: Command, surroundings: Surroundings): void {
  parent
    .command('show')
    .description('print the settings of an endpoint')
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock endpoint show hello')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      showEndpoint(output, await client.call('endpointRead', { path: { endpointId } }), surroundings.now())
    })
}
