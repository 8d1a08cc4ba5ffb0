import { resolve } from 'node:path'
import { YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { wholeNumber } from '../../../app/cli/option-values.ts'
import type { Output } from '../../../app/cli/output.ts'
import { createStatusLine } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { SweepView } from '../../../contract/workflows.ts'
import { ago, counted } from '../../../lib/text.ts'
import { type CancelOptions, confirmBulkCancel } from '../../jobs/commands/confirm-cancel.ts'
import { errorHeadline, readJobError } from '../../jobs/rules/read-error.ts'
import { readSetting, type Setting } from './graph/set-values.ts'

type SweepOptions = {
  readonly endpoint: string
  readonly over: readonly Setting[]
  readonly pairs?: true
  readonly output: string
}

const OVER_FORM = '--over takes NODE.INPUT=VALUES, like 3.seed=1..4 or 3.cfg=4,7,10'

export function addWorkflowSweep(parent: CliCommand, surroundings: Surroundings): void {
  parent
    .command('sweep')
    .description('run a graph once for each combination of values')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, or - for standard input')
    .requiredOption('--endpoint <endpoint>', 'id of the endpoint that runs it')
    .requiredOption(
      '--over <node.input=values>',
      'values of an input: a range like 1..4 or 0.5..1 step 0.1, or a list separated by commas; one text per line; may be repeated',
      (text: string, before: readonly Setting[] | undefined) => [...(before ?? []), readSetting(text, OVER_FORM)],
    )
    .option('--pairs', 'pair values by position instead of running every combination')
    .option('-o, --output <folder>', 'folder for the results', '.')
    .details(`
The results of each run go into a folder named after its values. One sheet shows all, in sheet.svg and at the address that is
printed: a table for two inputs, and for three a table for each value of the first.

Examples:
  $ drydock workflow sweep lamp.json --endpoint sketch --over 3.seed=1..4 --over 3.cfg=4,7,10 -o out/
  $ drydock workflow sweep lamp.json --endpoint sketch --over 3.steps=10..30 --over 3.seed=1..21 --pairs`)
    .onSession(async ({ client, output, service }, file: string, options: SweepOptions) => {
      const { sweepFile } = await import('./graph/sweep-file.ts')
      const { sweepId, runs, sheet } = await sweepFile(
        { client, output, surroundings, show: createStatusLine(output, surroundings) },
        {
          file,
          endpointId: options.endpoint,
          over: options.over,
          kind: options.pairs === true ? 'pairs' : 'grid',
          folder: resolve(surroundings.cwd, options.output),
        },
      )
      if (output.json) output.document({ sweepId, runs, sheet })
      else {
        output.table(
          ['VALUES', 'STATUS', 'RESULTS'],
          runs.map(({ label = '', status, results, errors }) => {
            const summary = results.map((one) => one.file).join(', ') || errorHeadline(readJobError(errors[0] ?? ''))
            return [label, status, summary]
          }),
        )
        output.note(`As one picture: ${sheet}`)
        output.note(`On one sheet: ${service.url}/workflows/sweeps/${sweepId}`)
      }
      const failed = runs.filter(({ status }) => status !== 'COMPLETED').length
      if (failed > 0) throw new CliError('SWEEP_INCOMPLETE', { failed, of: runs.length })
    })
}

type ListOptions = { readonly limit?: number; readonly before?: string }

export function addWorkflowSweeps(parent: CliCommand, surroundings: Surroundings): void {
  const sweeps = parent.command('sweeps').description('list the sweeps of graphs, or cancel one')

  sweeps
    .command('list', { isDefault: true })
    .description('list the sweeps whose runs are stored, newest first')
    .option('--limit <count>', 'sweeps per page, 1 to 200 (default 50)', wholeNumber)
    .option('--before <sweep>', 'continue after this sweep')
    .examples('drydock workflow sweeps', 'drydock workflow sweeps --limit 5 --json')
    .onSession(async ({ client, output }, { limit = 50, before }: ListOptions) => {
      const page = await client.call('sweepList', { query: { limit, before } })
      if (output.json) output.document(page)
      else if (page.sweeps.length === 0)
        output.hint('There are no sweeps yet. `drydock workflow sweep --help` shows how to run one.')
      else show(output, page.sweeps, surroundings.now())
      const last = page.sweeps.at(-1)
      if (page.more && last !== undefined && !output.json) output.note(`For older sweeps, add --before ${last.id}`)
    })

  sweeps
    .command('cancel')
    .description('cancel the runs of a sweep that have not ended; the others stay')
    .argument('<sweep>', 'id of the sweep')
    .option(...YES)
    .examples('drydock workflow sweeps cancel 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31')
    .onSession(async (session, sweepId: string, options: CancelOptions) => {
      const { client, output } = session
      const what = (many: (noun: string) => string) => `${many('unfinished run')} of sweep ${sweepId}`
      await confirmBulkCancel({ ...options, what, jobs: { sweep: sweepId } }, session, surroundings)
      const result = await client.call('sweepCancel', { path: { sweepId } })
      output.result(result, `${counted(result.cancelled, 'run')} cancelled.`)
    })
}

function show(output: Output, sweeps: readonly SweepView[], now: number): void {
  output.table(
    ['SWEEP', 'GRAPH', 'ENDPOINT', 'INPUTS', 'DONE', 'FAILED', 'WAITING', 'CREATED'],
    sweeps.map(({ id, title, endpointId, axes, runs, ended, completed, createdAt }) => [
      id,
      title,
      endpointId,
      axes.join(', '),
      String(completed),
      String(ended - completed),
      String(runs - ended),
      ago(createdAt, now),
    ]),
  )
}
