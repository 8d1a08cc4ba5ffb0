import type { Command } from 'commander'
import { jobAddress } from '../follow-job.ts'
import { openSession } from '../session.ts'
import { showHandle } from '../show-job.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock cancel`: cancel a job that waits or runs. */
export function addCancel(program: Command, surroundings: Surroundings): void {
  program
    .command('cancel')
    .description('cancel a job that waits or runs')
    .argument('<endpoint-or-job>', 'id of the endpoint, or of the job alone')
    .argument('[job]', 'id of the job')
    .addHelpText(
      'after',
      `
Examples:
  $ drydock cancel hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock cancel 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1`,
    )
    .action(async (first: string, second: string | undefined, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const path = await jobAddress(client, first, second)
      showHandle(output, path.endpointId, await client.call('cancel', { path }))
    })
}
