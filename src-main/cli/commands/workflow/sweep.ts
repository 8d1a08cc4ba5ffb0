import { resolve } from 'node:path'
import type { Command } from 'commander'
import { errorHeadline, readJobError } from '../../../domain/job/read-error.ts'
import { CliError } from '../../cli-error.ts'
import { plainWords } from '../../plain-words.ts'
import { openSession } from '../../session.ts'
import { createStatusLine } from '../../status-line.ts'
import type { Surroundings } from '../../surroundings.ts'
import { readSetting, type Setting } from '../../workflow/set-values.ts'

type SweepOptions = {
  readonly endpoint: string
  readonly over: readonly Setting[]
  readonly pairs?: true
  readonly output: string
}

/** `drydock workflow sweep`: run one graph over lists and ranges of values. */
export function addWorkflowSweep(parent: Command, surroundings: Surroundings): void {
  parent
    .command('sweep')
    .description('run a graph once for each combination of values')
    .argument('<file>', 'JSON of either form, a picture that holds a graph, or - for standard input')
    .requiredOption('--endpoint <endpoint>', 'id of the endpoint that runs it')
    .requiredOption(
      '--over <node.input=values>',
      'values of an input: a range like 1..4 or 0.5..1 step 0.1, or a list with commas; texts one a line; may be repeated',
      (text: string, before: readonly Setting[] | undefined) => [...(before ?? []), readSetting(text, '--over')],
    )
    .option('--pairs', 'the first value with the first and so on, instead of each with each')
    .option('-o, --output <folder>', 'folder for the results', '.')
    .addHelpText(
      'after',
      `
The results of each run lie in a folder named by its values. All stand on one sheet, in sheet.svg and at the address that is
printed: over two inputs it is a table, over three a table for each value of the first.

Examples:
  $ drydock workflow sweep lamp.json --endpoint sketch --over 3.seed=1..4 --over 3.cfg=4,7,10 -o out/
  $ drydock workflow sweep lamp.json --endpoint sketch --over 3.steps=10..30 --over 3.seed=1..21 --pairs`,
    )
    .action(async (file: string, options: SweepOptions, command: Command) => {
      const { client, output, service } = await openSession(command, surroundings)
      const { sweepFile } = await import('../../workflow/sweep-file.ts')
      const { sweepId, runs, sheet } = await sweepFile(
        { client, service, output, surroundings, show: createStatusLine(output, surroundings) },
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
            const told = results.map((one) => one.file).join(', ') || errorHeadline(readJobError(errors[0] ?? ''))
            return [inCell(label), status, inCell(told)]
          }),
        )
        output.note(`As one picture: ${sheet}`)
        output.note(`On one sheet: ${service.url}/workflows/sweeps/${sweepId}`)
      }
      const failed = runs.filter(({ status }) => status !== 'COMPLETED').length
      if (failed > 0) throw new CliError('SWEEP_INCOMPLETE', { failed, of: runs.length })
    })
}

// A prompt and the error of a worker may have several lines, and signs that steer a terminal.
const inCell = (text: string) => plainWords(text).replace(/\s*\n\s*/g, ' ')
