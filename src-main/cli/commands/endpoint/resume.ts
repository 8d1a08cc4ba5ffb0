import type { Command } from 'commander'
import { openSession } from '../../session.ts'
import { showEndpoint } from '../../show-endpoint.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint resume`: hand out jobs again, and forget a crash loop. */
export function addEndpointResume(parent: Command, surroundings: Surroundings): void {
  parent
    .command('resume')
    .description('hand out jobs again, and forget a crash loop')
    .argument('<endpoint>', 'id of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ drydock endpoint resume hello')
    .action(async (endpointId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      showEndpoint(output, await client.call('endpointResume', { path: { endpointId } }), surroundings.now())
    })
}
