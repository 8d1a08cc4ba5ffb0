import type { Command } from 'commander'
import { limit } from '../../contract/limits.ts'
import { runAndWait, showOutcome } from '../follow-job.ts'
import { addRequestOptions, buildRequest, type RequestOptions, wholeNumber } from '../job-request.ts'
import { openSession } from '../session.ts'
import { withSpinner } from '../spinner.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock runsync`: queue a job and wait for its result in one request. */
export function addRunsync(program: Command, surroundings: Surroundings): void {
  addRequestOptions(program.command('runsync'))
    .description('queue a job and wait for its result')
    .option('--wait-ms <ms>', 'how long to wait, 1000 to 300000 (default 90000)', wholeNumber)
    .addHelpText(
      'after',
      `
The exit code is 0 for a job that has COMPLETED alone. It gives up, with exit code 1, when the time is over or waiting
cannot help: the endpoint is paused, its workers crash again and again, the machine has no such card. The job stays in
the queue. In a pipe it prints the job as JSON.

Examples:
  $ drydock runsync hello '{"name": "Ada"}'
  $ drydock runsync hello '{"do": "nap", "seconds": 2}' --wait-ms 5000 --json`,
    )
    .action(
      async (
        endpointId: string,
        input: string | undefined,
        options: RequestOptions & { waitMs?: number },
        command: Command,
      ) => {
        const { client, output } = await openSession(command, surroundings)
        const body = await buildRequest(input, options, surroundings)
        const { now } = surroundings
        const waitMs = options.waitMs ?? limit('waitDefaultMs')
        const followed = await withSpinner(`runsync on ${endpointId}`, { output, surroundings }, (show) =>
          runAndWait(client, { endpointId, body, waitMs }, { show, now }),
        )
        showOutcome(output, endpointId, followed)
      },
    )
}
