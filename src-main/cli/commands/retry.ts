import type { Command } from 'commander'
import { jobAddress } from '../follow-job.ts'
import { openSession } from '../session.ts'
import { showHandle } from '../show-job.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock retry`: queue a failed or timed-out job again under its id. */
export function addRetry(program: Command, surroundings: Surroundings): void {
  program
    .command('retry')
    .description('queue a failed or timed-out job again under its id')
    .argument('<endpoint-or-job>', 'id of the endpoint, or of the job alone')
    .argument('[job]', 'id of the job')
    .addHelpText(
      'after',
      `
Examples:
  $ drydock retry hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1`,
    )
    .action(async (first: string, second: string | undefined, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const path = await jobAddress(client, first, second)
      showHandle(output, path.endpointId, await client.call('retry', { path }))
    })
}
