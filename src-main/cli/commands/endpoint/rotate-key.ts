import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEndpoint } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint rotate-key`: give the endpoint a new key; the old one is void at once. */
export function addEndpointRotateKey(parent: Command, surroundings: Surroundings): void {
  parent
    .command('rotate-key')
    .description('give the endpoint a new key; the old one is void at once')
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock endpoint rotate-key hello')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      showEndpoint(output, await client.call('endpointRotateKey', { path: { endpointId } }), surroundings.now())
    })
}
