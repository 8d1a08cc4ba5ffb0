import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { jobAddress, readExpired } from '../follow-job.ts'
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
    .option(
      '--new',
      'queue a new job with the same input instead; also one that succeeded, or that has expired for the API',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ drydock retry hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock retry 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --new`,
    )
    .action(async (first: string, second: string | undefined, options: { readonly new?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const path = await jobAddress(client, first, second)
      const handle =
        options.new === true
          ? await client.call('jobRerun', { path })
          : await client.call('retry', { path }).catch(async (error: unknown) => {
              const { status } = await readExpired(client, path, error)
              const why = `Job ${path.jobId} is ${status} and expired for the API, which answers 404 for it as in production. Run it again as a new job: drydock retry ${path.jobId} --new`
              throw new CliError('SERVICE_REFUSED', { why }, { cause: error })
            })
      showHandle(output, path.endpointId, handle)
    })
}
