import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { following } from '../../../app/cli/interrupt.ts'
import { type Output, stateText, valueText } from '../../../app/cli/output.ts'
import { createReasons } from '../../../app/cli/progress-line.ts'
import { followToEnd } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { parseExact } from '../../../lib/json/plain.ts'
import { type JobAddress, jobAddress, jobContinues, readExpired, waitsInVain, watchReasons } from './follow-job.ts'
import { errorShown, expectSuccess } from './show-job.ts'

export function addStream(stream: CliCommand, surroundings: Surroundings): void {
  stream
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .details(`
With --json every chunk is an object on a line of its own, and the last line is {"status": ...}. The exit code is 0 for
a job that has COMPLETED. It stops with exit code 1 when the job cannot start: the endpoint is paused, its workers keep
crashing, or the machine has no such GPU. The job stays in the queue.

Examples:
  $ drydock stream hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock stream 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --json | jq .output`)
    .onSession(async ({ client, output }, first: string, second: string | undefined) => {
      const path = await jobAddress(client, first, second)
      const show = createReasons(output, surroundings)
      const stop = new AbortController()
      const { signal } = stop
      const [, reason] = await following(
        () => jobContinues(path.jobId),
        { output, surroundings },
        () =>
          Promise.all([
            printStream({ client, output, show, signal }, path).finally(() => stop.abort()),
            watchReasons(client, path, { show, pause: surroundings.pause, signal, giveUp: () => stop.abort() }),
          ]),
      )
      if (reason !== undefined) throw waitsInVain(path.jobId, reason)
    })
}

type Printing = {
  readonly client: ServiceClient
  readonly output: Output
  readonly show: (reason: string) => void
  readonly signal: AbortSignal
}

async function printStream({ client, output, show, signal }: Printing, path: JobAddress): Promise<void> {
  const { jobState, streamChunk } = await import('../../../contract/job.ts')
  try {
    for await (const event of followToEnd(client, 'stream', () => ({ path, signal }))) {
      show('')
      if (event.event === 'chunk') {
        const chunk = streamChunk.parse(parseExact(event.data))
        output.result(chunk, valueText(chunk.output))
      } else if (event.event === 'end') {
        const status = jobState.parse(JSON.parse(event.data).status)
        output.result({ status }, () => output.note(`job ${path.jobId} ended as ${stateText(output, { status })}`))
        if (status === 'COMPLETED') return
        const job = await client.call('status', { path }).catch((error: unknown) => readExpired(client, path, error))
        if (job.error !== undefined && !output.json) output.note(errorShown(job.error))
        expectSuccess(job)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
