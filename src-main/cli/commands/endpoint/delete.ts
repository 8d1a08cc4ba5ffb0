import type { Command } from 'commander'
import { canAsk } from '../../ask.ts'
import { CliError } from '../../cli-error.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock endpoint delete`: stop the workers, cancel the jobs and delete an endpoint. */
export function addEndpointDelete(parent: Command, surroundings: Surroundings): void {
  parent
    .command('delete')
    .description('stop the workers, cancel the jobs and delete an endpoint')
    .argument('<endpoint>', 'id of the endpoint')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nAsks first where a person can answer.\n\nExamples:\n  $ drydock endpoint delete hello\n  $ drydock endpoint delete hello --yes',
    )
    .action(async (endpointId: string, { yes }: { yes?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      if (yes !== true && canAsk(output, surroundings)) await askFirst(endpointId, surroundings)
      const answer = await client.call('endpointDelete', { path: { endpointId } })
      if (output.json) output.document(answer)
      else output.line(`endpoint ${endpointId} deleted`)
    })
}

/** @throws CliError ABANDONED unless the person says yes */
async function askFirst(endpointId: string, { ask }: Surroundings): Promise<void> {
  const message = `Delete endpoint ${endpointId} with all its jobs, results and logs?`
  if (!(await ask.yes(message))) {
    throw new CliError('ABANDONED', { why: `Endpoint ${endpointId} was not deleted.` })
  }
}
