import type { Command } from 'commander'
import type { SweepView } from '../../../contract/workflows.ts'
import { ago, counted } from '../../format.ts'
import { wholeNumber } from '../../job-request.ts'
import type { Output } from '../../output.ts'
import { plainWords } from '../../plain-words.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

type ListOptions = { readonly limit?: number; readonly before?: string }

/** `drydock workflow sweeps`: list the sweeps, cancel one. @param parent `drydock workflow` */
export function addWorkflowSweeps(parent: Command, surroundings: Surroundings): void {
  const sweeps = parent.command('sweeps').description('list the sweeps of graphs, or cancel one')

  sweeps
    .command('list', { isDefault: true })
    .description('list the sweeps whose runs are kept, newest first')
    .option('--limit <count>', 'sweeps on a page, 1 to 200 (default 50)', wholeNumber)
    .option('--before <sweep>', 'go on after this sweep')
    .addHelpText('after', '\nExamples:\n  $ drydock workflow sweeps\n  $ drydock workflow sweeps --limit 5 --json')
    .action(async ({ limit = 50, before }: ListOptions, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const page = await client.call('sweepList', { query: { limit, before } })
      if (output.json) output.document(page)
      else if (page.sweeps.length === 0) output.hint('There is no sweep. `drydock workflow sweep --help` makes one.')
      else show(output, page.sweeps, surroundings.now())
      const last = page.sweeps.at(-1)
      if (page.more && last !== undefined && !output.json)
        output.note(`Older sweeps: the same command with --before ${last.id}`)
    })

  sweeps
    .command('cancel')
    .description('cancel the runs of a sweep that have not ended; those that have stay')
    .argument('<sweep>', 'id of the sweep')
    .addHelpText('after', '\nExamples:\n  $ drydock workflow sweeps cancel 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31')
    .action(async (sweepId: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const result = await client.call('sweepCancel', { path: { sweepId } })
      if (output.json) output.document(result)
      else output.line(`${counted(result.cancelled, 'run')} cancelled.`)
    })
}

function show(output: Output, sweeps: readonly SweepView[], now: number): void {
  output.table(
    ['SWEEP', 'GRAPH', 'ENDPOINT', 'INPUTS', 'DONE', 'FAILED', 'WAITING', 'CREATED'],
    sweeps.map(({ id, title, endpointId, axes, runs, ended, completed, createdAt }) => [
      id,
      plainWords(title),
      endpointId,
      plainWords(axes.join(', ')),
      String(completed),
      String(ended - completed),
      String(runs - ended),
      ago(createdAt, now),
    ]),
  )
}
