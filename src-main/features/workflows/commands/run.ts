import { resolve } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { createStatusLine } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { RunView } from '../../../contract/workflows.ts'
import { expectSuccess } from '../../jobs/commands/show-job.ts'
import { errorHeadline, errorText, readJobError } from '../../jobs/rules/read-error.ts'
import { readSetting, type Setting } from './graph/set-values.ts'

type RunOptions = {
  readonly endpoint: string
  readonly set?: readonly Setting[]
  readonly output: string
  readonly previews?: true
  readonly traceback?: true
}

export function addWorkflowRun(parent: CliCommand, surroundings: Surroundings): void {
  parent
    .command('run')
    .description('run a graph on an endpoint, follow it, and write its results to a folder')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, an exported run, or - for standard input')
    .requiredOption('--endpoint <endpoint>', 'id of the endpoint that runs it')
    .option(
      '--set <node.input=value>',
      'set a value of a node, like 6.text="a cat"; may be repeated',
      (text: string, before: readonly Setting[] | undefined) => [...(before ?? []), readSetting(text)],
    )
    .option('-o, --output <folder>', 'folder for the results', '.')
    .option('--previews', 'also write previews, like those of Preview Image or Preview Audio')
    .option('--traceback', 'also print the traceback of an error')
    .details(`
The graph is checked first; with errors it is not queued, and the exit code is 1. Pictures that it loads are sent along
if they are next to the file or in the current folder. An exported run is run exactly as it was sent. Ctrl+C leaves
the job running.

Examples:
  $ drydock workflow run cat.json --endpoint sketch -o out/
  $ drydock workflow run cat.png --endpoint sketch --set 6.text="a dog" --set 3.seed=18446744073709551615
  $ drydock workflow run run.graph.jsonl --endpoint sketch
  $ drydock workflow convert cat.json --to api | drydock workflow run - --endpoint sketch --json`)
    .onSession(async ({ client, output }, file: string, options: RunOptions) => {
      const { runGraph } = await import('./graph/run-graph.ts')
      const show = createStatusLine(output, surroundings)
      const folder = resolve(surroundings.cwd, options.output)
      const { run, saved, savedPreviews } = await runGraph(
        { client, output, surroundings, show },
        {
          ...{ file, endpointId: options.endpoint, settings: options.set ?? [], folder },
          previews: options.previews === true,
        },
      )
      const written = options.previews === true ? { previews: savedPreviews } : {}
      if (output.json) output.document({ ...run, results: saved, ...written })
      else {
        for (const { file: path } of [...saved, ...savedPreviews]) output.line(path)
        const errorLine = options.traceback === true ? errorText : (error: string) => errorHeadline(readJobError(error))
        for (const error of run.errors) output.note(errorLine(error))
        if (saved.length + savedPreviews.length === 0 && run.status === 'COMPLETED') output.note(whyNothing(run))
      }
      const [error] = run.errors
      expectSuccess({ id: run.id, status: run.status, error })
    })
}

function whyNothing({ previews = [] }: Pick<RunView, 'previews'>): string {
  return previews.length === 0
    ? 'The job returned no result.'
    : 'The job returned only previews. Write them with --previews.'
}
