import { createReadStream, createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import type { AnswerOf } from '../client.ts'
import { counted } from '../format.ts'
import { addJobFilter, type JobFilterOptions, jobFilterQuery } from '../job-filter.ts'
import type { Output } from '../output.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

type ExportOptions = JobFilterOptions & { readonly output?: string }

/** `drydock jobs export` and `jobs import`: jobs as files of JSON lines. @param parent `drydock jobs` */
export function addJobsFiles(parent: Command, surroundings: Surroundings): void {
  addJobFilter(parent.command('export'), surroundings)
    .description('write jobs as lines of JSON, oldest first: records with input and output')
    .option('-o, --output <file>', 'write into this file; to standard output without it')
    .addHelpText(
      'after',
      `
A line is a request body too: \`drydock jobs import\` takes the file in as new jobs, in the order in which the old ones
were created.

Examples:
  $ drydock jobs export --endpoint hello --status FAILED -o failed.jsonl
  $ drydock jobs export --since 24h -o today.jsonl
  $ drydock jobs export | jq .input`,
    )
    .action(async ({ output: file, ...filter }: ExportOptions, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const pieces = client.download('jobExport', { query: jobFilterQuery(filter) })
      if (file === undefined) {
        for await (const piece of pieces) await surroundings.stdout.write(piece)
        return
      }
      const path = resolve(surroundings.cwd, file)
      let lines = 0
      const counting = async function* () {
        for await (const piece of pieces) {
          lines += piece.split('\n').length - 1
          yield piece
        }
      }
      await pipeline(Readable.from(counting()), createWriteStream(path)).catch((error: unknown) => {
        if (error instanceof CliError) throw error
        throw new CliError('FILE_UNWRITABLE', { file: path, why: (error as Error).message }, { cause: error })
      })
      if (output.json) output.document({ file: path, jobs: lines })
      else output.line(`${counted(lines, 'job')} written to ${path}`)
    })

  parent
    .command('import')
    .description('queue a new job for each line of a file')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<file>', 'lines of JSON like {"input": {...}}, or an export; - reads standard input')
    .addHelpText(
      'after',
      `
Lines that are no request are named by their number, and all others are queued; then the exit code is 1.

Examples:
  $ drydock jobs import hello inputs.jsonl
  $ drydock jobs export --status FAILED --endpoint hello | drydock jobs import hello -`,
    )
    .action(async (endpointId: string, file: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const bytes = file === '-' ? surroundings.stdin : readLines(resolve(surroundings.cwd, file))
      const result = await client.call('jobImport', { path: { endpointId }, bytes })
      if (output.json) output.document(result)
      else show(output, endpointId, result)
      if (result.refused > 0) throw new CliError('LINES_REFUSED', { count: counted(result.refused, 'line') })
    })
}

async function* readLines(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new CliError('FILE_UNREADABLE', { file: path, why: (error as Error).message }, { cause: error })
  }
}

function show(output: Output, endpointId: string, { queued, refused, bad }: AnswerOf<'jobImport'>): void {
  output.line(`${counted(queued, 'job')} queued on ${endpointId}`)
  for (const { line, reason } of bad) output.note(`line ${line}: ${reason}`)
  if (refused > bad.length) output.note(`and ${counted(refused - bad.length, 'line')} more`)
}
