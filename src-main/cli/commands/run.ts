import type { Command } from 'commander'
import { showOutcome, waitForEnd } from '../follow-job.ts'
import { addRequestOptions, buildRequest, type RequestOptions } from '../job-request.ts'
import { openSession } from '../session.ts'
import { showSubmitted } from '../show-job.ts'
import { withSpinner } from '../spinner.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock run`: queue a job, and follow it to its end on demand. */
export function addRun(program: Command, surroundings: Surroundings): void {
  addRequestOptions(program.command('run'))
    .description('queue a job and print its id')
    .option('--wait', 'follow the job to its end and print the result')
    .addHelpText(
      'after',
      `
In a pipe it prints the id alone, and with --wait the job as JSON. --wait gives up, with exit code 1, when waiting cannot
help: the endpoint is paused, its workers crash again and again, the machine has no such card.

Examples:
  $ drydock run hello '{"name": "Ada"}'
  $ drydock run hello '{"do": "nap", "seconds": 5}' --wait
  $ drydock run hello --input-file request.json --ttl 60000
  $ id=$(drydock run hello '{"name": "Ada"}')
  $ echo '{"name": "Ada"}' | drydock run hello - --json`,
    )
    .action(
      async (
        endpointId: string,
        input: string | undefined,
        options: RequestOptions & { wait?: true },
        command: Command,
      ) => {
        const { client, output } = await openSession(command, surroundings)
        const body = await buildRequest(input, options, surroundings)
        const handle = await client.call('run', { path: { endpointId }, body })
        if (options.wait !== true) {
          showSubmitted(output, endpointId, handle)
          return
        }
        const { now } = surroundings
        const followed = await withSpinner(`job ${handle.id}`, { output, surroundings }, (show) =>
          waitForEnd(client, { endpointId, jobId: handle.id }, { show, now }),
        )
        showOutcome(output, endpointId, followed)
      },
    )
}
