import type { Command } from 'commander'
import { isFinal } from '../../domain/job/transitions.ts'
import { addRequestOptions, buildRequest, type RequestOptions, wholeNumber } from '../job-request.ts'
import { openSession } from '../session.ts'
import { expectSuccess, showJob } from '../show-job.ts'
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
        const job = await withSpinner(`runsync on ${endpointId}`, { output, surroundings }, () =>
          client.call('runsync', { path: { endpointId }, query: { wait: options.waitMs }, body }),
        )
        showJob(output, endpointId, job)
        if (!isFinal(job.status))
          output.note(`The wait is over, the job goes on: drydock status ${endpointId} ${job.id}`)
        expectSuccess(job)
      },
    )
}
