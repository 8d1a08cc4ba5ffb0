import type { Command } from 'commander'
import { parseExact } from '../../domain/json/exact-json.ts'
import { followToEnd } from '../follow-events.ts'
import { jobAddress } from '../follow-job.ts'
import { stateText, valueText } from '../output.ts'
import { openSession } from '../session.ts'
import { expectSuccess } from '../show-job.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock stream`: print what a job produces as it comes, until the job ends. */
export function addStream(program: Command, surroundings: Surroundings): void {
  program
    .command('stream')
    .description('print the chunks of a job as they come, until it ends')
    .argument('<endpoint-or-job>', 'id of the endpoint, or of the job alone')
    .argument('[job]', 'id of the job')
    .addHelpText(
      'after',
      `
With --json every chunk is an object on a line of its own, and the last line is {"status": ...}.

Examples:
  $ drydock stream hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock stream 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --json | jq .output`,
    )
    .action(async (first: string, second: string | undefined, _options: object, command: Command) => {
      const { jobState, streamChunk } = await import('../../contract/job.ts')
      const { client, output } = await openSession(command, surroundings)
      const path = await jobAddress(client, first, second)
      for await (const event of followToEnd(client, 'stream', () => ({ path }))) {
        if (event.event === 'chunk') {
          const chunk = streamChunk.parse(parseExact(event.data))
          if (output.json) output.document(chunk)
          else output.line(valueText(chunk.output))
        } else if (event.event === 'end') {
          const status = jobState.parse(JSON.parse(event.data).status)
          if (output.json) output.document({ status })
          else output.note(`job ${path.jobId} ended as ${stateText(output, status)}`)
          expectSuccess({ id: path.jobId, status })
        }
      }
    })
}
