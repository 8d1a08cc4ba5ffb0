import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { following } from '../../../app/cli/interrupt.ts'
import { spanIn } from '../../../app/cli/option-values.ts'
import { withSpinner } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { limit } from '../../../contract/limits.ts'
import { writeExact } from '../../../lib/json/plain.ts'
import { jobContinues, runShown, showOutcome, waitForEnd } from './follow-job.ts'
import { addRequestOptions, buildRequest, type RequestOptions } from './job-request.ts'
import { showSubmitted } from './show-job.ts'

type RunOptions = RequestOptions & { readonly wait?: true; readonly waitMs?: number }

export function addRun(run: CliCommand, surroundings: Surroundings): void {
  addRequestOptions(run)
    .option('--wait', 'follow the job to its end and print the result')
    .details(`
In a pipe it prints only the id, unless it waits. --wait stops with exit code 1 when the job cannot start: the endpoint
is paused, its workers keep crashing, or the machine has no such GPU.

Examples:
  $ drydock run hello '{"name": "Ada"}'
  $ drydock run hello '{"do": "nap", "seconds": 5}' --wait
  $ drydock run hello --input-file request.json --ttl 60000
  $ id=$(drydock run hello '{"name": "Ada"}')
  $ echo '{"name": "Ada"}' | drydock run hello - --json`)
    .onSession(async ({ client, output }, endpointId: string, input: string | undefined, options: RunOptions) => {
      const body = await buildRequest(input, options, surroundings)
      const handle = await client.call('run', { path: { endpointId }, bodyText: writeExact(body) })
      if (options.wait !== true) return showSubmitted(output, endpointId, handle)
      const { now } = surroundings
      const terminal = { output, surroundings }
      const path = { endpointId, jobId: handle.id }
      const followed = await following(
        () => jobContinues(handle.id),
        terminal,
        () => withSpinner(`job ${handle.id}`, terminal, (show) => waitForEnd(client, path, { show, now })),
      )
      showOutcome(output, endpointId, followed)
    })
}

export function addRunsync(runsync: CliCommand, surroundings: Surroundings): void {
  addRequestOptions(runsync)
    .option('--wait-ms <ms>', 'how long to wait, in ms or like 30s: 1000 to 300000 (default 90000)', spanIn('ms'))
    .details(`
The exit code is 0 only if the job is COMPLETED. It stops with exit code 1 when the time is over or the job
cannot start: the endpoint is paused, its workers keep crashing, or the machine has no such GPU. The job stays in
the queue.

Examples:
  $ drydock runsync hello '{"name": "Ada"}'
  $ drydock runsync hello '{"do": "nap", "seconds": 2}' --wait-ms 5000 --json`)
    .onSession(async ({ client, output }, endpointId: string, input: string | undefined, options: RunOptions) => {
      const body = await buildRequest(input, options, surroundings)
      const request = { endpointId, body, waitMs: options.waitMs ?? limit('waitDefaultMs') }
      const followed = await runShown(client, request, `runsync on ${endpointId}`, { output, surroundings })
      showOutcome(output, endpointId, followed)
    })
}
