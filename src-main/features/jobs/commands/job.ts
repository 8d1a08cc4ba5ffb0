import { readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, unreadable, unwritable, usageError } from '../../../app/cli/cli-error.ts'
import { integer } from '../../../app/cli/option-values.ts'
import type { Output } from '../../../app/cli/output.ts'
import { openSession, outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { counted, momentText } from '../../../lib/text.ts'
import { DAY_MS, MIB } from '../../../lib/units.ts'
import { type OpenedJobFile, readJobFile } from '../rules/job-file.ts'
import { errorText } from '../rules/read-error.ts'
import { showJob } from './show-job.ts'

// Bytes read whole. Source: ours, ten times a 20 MiB result with its stream.
const MOST_BYTES = 256 * MIB
const SHOWN_CHARACTERS = 1000

export function addJob(job: CliCommand, surroundings: Surroundings): void {
  job
    .command('export')
    .description('write a job with payloads, timeline, log and settings to a file')
    .argument('<job>', 'id of the job')
    .requiredOption('-o, --output <file>', 'write to this file')
    .details('\nValues of variables are not written. Secrets in payloads are replaced by ***, and counted.')
    .examples('drydock job export ID -o job.jsonl')
    .onSession(async ({ client, output }, jobId: string, { output: file }: { readonly output: string }) => {
      let text = ''
      for await (const piece of client.download('jobFile', { path: { jobId } })) text += piece
      const to = resolve(surroundings.cwd, file)
      await writeFile(to, text).catch((error: Error) => {
        throw unwritable(to, error)
      })
      const written = readJobFile(text)
      if (!('why' in written)) noteMasked(output, written.head.masked)
      output.result({ file: to, jobId }, `job ${jobId} written to ${to}`)
    })

  job
    .command('open')
    .description('show the contents of an exported job; needs no service')
    .argument('<file>', 'file that `drydock job export` wrote')
    .examples('drydock job open job.jsonl')
    .action(async (file: string, _options: object, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      show(output, await read(file))
    })

  job
    .command('import')
    .description('run an exported job again, as a new job')
    .argument('<file>', 'file that `drydock job export` wrote')
    .requiredOption('--endpoint <endpoint>', 'endpoint that runs it')
    .examples('drydock job import job.jsonl --endpoint hello')
    .action(async (file: string, { endpoint }: { readonly endpoint: string }, command: CliCommand) => {
      const { input, head } = await read(file)
      const { client, output } = await openSession(command, surroundings)
      const bytes = Buffer.from(`{"input":${input}}\n`)
      const result = await client.call('jobImport', { path: { endpointId: endpoint }, bytes })
      const [refused] = result.bad
      if (refused !== undefined) throw new CliError('FILE_INVALID', { file, why: refused.reason.replace(/\.$/, '') })
      noteMasked(output, head.masked)
      output.result(result, () =>
        output.hint(`1 job queued on ${endpoint}; \`drydock jobs --endpoint ${endpoint} --limit 1\` shows it`),
      )
    })

  job
    .command('move')
    .description('move a waiting job in its queue, or give it another priority')
    .argument('<job>', 'id of the job')
    .option('--front', 'before all waiting jobs of its priority')
    .option('--back', 'behind all waiting jobs of its priority')
    .option('--before <job>', 'right before this waiting job')
    .option('--after <job>', 'right after this waiting job')
    .option('--priority <number>', 'with this priority, -100 to 100; higher ones run first', integer)
    .examples('drydock job move ID --front', 'drydock job move ID --after OTHER', 'drydock job move ID --priority 10')
    .action(async (jobId: string, { front, back, before, after, priority }: MoveOptions, command: CliCommand) => {
      const bodies = [
        ...(front ? [{ to: 'front' as const }] : []),
        ...(back ? [{ to: 'back' as const }] : []),
        ...(before === undefined ? [] : [{ before }]),
        ...(after === undefined ? [] : [{ after }]),
        ...(priority === undefined ? [] : [{ priority }]),
      ]
      const [body] = bodies
      if (body === undefined || bodies.length > 1)
        throw usageError('Give one of --front, --back, --before, --after or --priority.')
      const { client, output } = await openSession(command, surroundings)
      await client.call('jobReorder', { path: { jobId }, body })
      const { endpointId, ...status } = await client.call('jobProgress', { path: { jobId } })
      output.result({ endpointId, ...status }, () =>
        showJob(output, endpointId, status, { ...status, now: surroundings.now() }),
      )
    })

  async function read(file: string): Promise<OpenedJobFile> {
    const path = resolve(surroundings.cwd, file)
    const fail = (error: Error) => {
      throw unreadable(path, error)
    }
    const { size } = await stat(path).catch(fail)
    if (size > MOST_BYTES)
      throw new CliError('FILE_INVALID', { file: path, why: `it is larger than ${MOST_BYTES / MIB} MiB` })
    const opened = readJobFile(await readFile(path, 'utf8').catch(fail))
    if ('why' in opened) throw new CliError('FILE_INVALID', { file: path, why: opened.why })
    return opened
  }
}

type MoveOptions = {
  readonly front?: true
  readonly back?: true
  readonly before?: string
  readonly after?: string
  readonly priority?: number
}

export function noteMasked(output: Output, places = 0): void {
  if (places === 0) return
  const what = places === 1 ? 'A secret was' : `${places} secrets were`
  output.note(`${what} replaced by *** in its payloads: what runs is not exactly what ran.`)
}

function show(output: Output, { head, status, error, input }: OpenedJobFile) {
  if (output.json) return output.document({ ...head, status, error })
  const shown = input.length > SHOWN_CHARACTERS ? `${input.slice(0, SHOWN_CHARACTERS)}...` : input
  output.fields([
    ['job', head.jobId],
    ['endpoint', head.endpoint?.id],
    ['status', status],
    ['error', error === undefined ? undefined : errorText(error)],
    ['input', shown],
    ['written by', `Drydock ${head.version}, ${timeOfFile(head.exportedAt)}`],
    ['masked', head.masked === undefined || head.masked === 0 ? undefined : `${head.masked} in payloads`],
    ['log', head.logs.length === 0 ? undefined : counted(head.logs.length, 'line')],
  ])
  for (const { at, event, to, reason } of head.history)
    output.line(`${timeOfFile(at)}  ${event}  ${to}${reason === undefined ? '' : `  ${reason}`}`)
}

// The range of a Date in ms, less one day for the time zone.
const LAST_MOMENT = 8_640_000_000_000_000 - DAY_MS

function timeOfFile(at: number): string {
  return Math.abs(at) < LAST_MOMENT ? momentText(at) : 'at an unknown time'
}
