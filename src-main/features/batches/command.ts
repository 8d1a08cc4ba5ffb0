import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { confirmDeletion, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { CliError, unreadable, unwritable, usageError } from '../../app/cli/cli-error.ts'
import { following } from '../../app/cli/interrupt.ts'
import type { Output } from '../../app/cli/output.ts'
import { createStatusLine } from '../../app/cli/progress-line.ts'
import type { Session } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { BatchDetail, BatchView } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { ago, counted, durationText } from '../../lib/text.ts'
import { type CancelOptions, confirmBulkCancel } from '../jobs/commands/confirm-cancel.ts'
import { endedIn, failedIn } from './rules/counts.ts'
import { checkInputs, type FileLine, piecesOf, readInputs } from './rules/file.ts'

type SubmitOptions = { readonly name?: string; readonly template?: string }

const WAIT_MS = 1000

const UNQUEUED: Readonly<Partial<Record<BatchView['state'], string>>> = {
  uploading: 'is missing inputs; submit its file again',
  draft: 'is a draft; queue its inputs with `drydock batch finalize`',
}

export function addBatch(batch: CliCommand, surroundings: Surroundings): void {
  batch
    .command('submit')
    .description('submit each input of a file as a job of one batch')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<file>', 'JSON lines, CSV with a header (.csv), or a folder of images')
    .option('--name <name>', 'name of the batch (default: that of the file)')
    .option(
      '--template <json>',
      'for a folder: the input for each image, with {file} for its base64 and {name} for its name',
    )
    .details(`
Each line is an input, or a request like {"input": {...}, "policy": {...}}. Each CSV row is an input whose fields are
named by the header: numbers, true, false, null and JSON keep their types, other cells are text, and empty ones are
left out. If any line is invalid, nothing is sent. The jobs are queued once all inputs have arrived. To resume an
interrupted upload, repeat the same command.

Examples:
  $ drydock batch submit hello inputs.jsonl
  $ drydock batch submit hello prompts.csv --name evening
  $ drydock batch submit hello photos --template '{"prompt": "a boat", "image": "{file}"}'`)
    .onSession(async ({ client, output }, endpointId: string, file: string, options: SubmitOptions) => {
      const path = resolve(surroundings.cwd, file)
      const read = await inputsOf(path, options.template)
      const { total, fingerprint } = await check(path, read)
      const body = { name: (options.name ?? basename(path)).slice(0, 100), total, fingerprint }
      const made = await client.call('batchCreate', { path: { endpointId }, body })
      output.note(made.received > 0 ? `batch ${made.id} resumes after line ${made.received}` : `batch ${made.id}`)
      const incomplete = () =>
        `Batch ${made.id} is not complete. To resume it, repeat the same command; \`drydock batch cancel ${made.id}\` cancels it.`
      await following(incomplete, { output, surroundings }, async () => {
        await send(client, made, { read, show: createStatusLine(output, surroundings) })
        await client.call('batchFinalize', { path: { batchId: made.id } })
      })
      await report(await client.call('batchRead', { path: { batchId: made.id } }), output)
    })

  batch
    .command('list', { isDefault: true })
    .description('list batches, newest first')
    .argument('[endpoint]', 'only those of this endpoint')
    .examples('drydock batch list', 'drydock batch list hello --json')
    .onSession(async ({ client, output }, endpoint: string | undefined) => {
      const { batches } = await client.call('batchList', { query: { endpoint } })
      output.list(
        { batches },
        'There are no batches. Submit one with `drydock batch submit`.',
        ['BATCH', 'ENDPOINT', 'NAME', 'STATE', 'DONE', 'FAILED', 'OF', 'CREATED'],
        batches.map((one) => [
          ...[one.id, one.endpointId, one.name, one.state, String(one.jobs.COMPLETED), String(failedIn(one))],
          ...[String(one.total), ago(one.createdAt, surroundings.now())],
        ]),
      )
    })

  of('show', 'show the progress of a batch, and what failed and why')
    .examples('drydock batch show 0b6f9c1e')
    .onSession(async ({ client, output }, batchId: string) => {
      const found = await client.call('batchRead', { path: { batchId } })
      show(found, output, surroundings.now())
    })

  of('wait', 'wait until every job of a batch has ended; exits with 4 if one failed')
    .examples('drydock batch wait 0b6f9c1e')
    .onSession(async ({ client, output }, batchId: string) => {
      const draw = createStatusLine(output, surroundings)
      let found = await client.call('batchRead', { path: { batchId } })
      const continues = () =>
        `Batch ${batchId} continues; \`drydock batch show ${batchId}\` shows it, \`drydock batch cancel ${batchId}\` cancels it.`
      await following(continues, { output, surroundings }, async () => {
        while (found.state === 'running') {
          draw(`${endedIn(found)} of ${found.total} ended${endText(found, surroundings.now())}`)
          await pause(WAIT_MS)
          found = await client.call('batchRead', { path: { batchId } })
        }
      })
      draw('')
      show(found, output, surroundings.now())
      const why = UNQUEUED[found.state] ?? failureText(found)
      if (why !== undefined) throw new CliError('BATCH_INCOMPLETE', { batchId, why })
    })

  of('finalize', 'queue the inputs of a draft and close it to new ones')
    .examples('drydock batch finalize 0b6f9c1e')
    .onSession(async ({ client, output }, batchId: string) => {
      const found = await client.call('batchFinalize', { path: { batchId } })
      output.result(found, `${counted(found.total - found.refused, 'job')} queued as batch ${batchId}`)
    })

  for (const action of ['retry', 'cancel'] as const) {
    const about =
      action === 'retry' ? 'retry the jobs of a batch that failed or timed out' : 'cancel jobs that have not ended'
    const subcommand = of(action, about)
    if (action === 'cancel') subcommand.option(...YES)
    subcommand
      .details(`\nExamples:\n  $ drydock batch ${action} 0b6f9c1e`)
      .onSession(async (session, batchId: string, options: CancelOptions) => {
        const { client, output } = session
        const what = (many: (noun: string) => string) => `${many('unfinished job')} of batch ${batchId}`
        if (action === 'cancel')
          await confirmBulkCancel({ ...options, what, jobs: { batch: batchId } }, session, surroundings)
        const result = await client.call(action === 'retry' ? 'batchRetry' : 'batchCancel', { path: { batchId } })
        if (output.json) return output.document(result)
        output.line(`${counted(result.changed, 'job')} ${action === 'retry' ? 'queued again' : 'cancelled'}.`)
        for (const { reason, count } of result.refused) output.note(`${counted(count, 'job')} not changed: ${reason}.`)
      })
  }

  of('export', 'write the results so far as JSON lines, in the order of the inputs')
    .requiredOption('-o, --output <file>', 'write to this file')
    .renamedOption('--to', '--output')
    .examples('drydock batch export 0b6f9c1e -o results.jsonl')
    .onSession(async ({ client, output }, batchId: string, options: { readonly output: string }) => {
      const found = await client.call('batchRead', { path: { batchId } })
      const file = resolve(surroundings.cwd, options.output)
      await pipeline(
        Readable.from(client.download('batchExport', { path: { batchId } })),
        createWriteStream(file),
      ).catch((error: unknown) => {
        if (error instanceof CliError) throw error
        throw unwritable(file, error)
      })
      const missing = found.total - endedIn(found)
      if (output.json) return output.document({ file, inputs: found.total, missing })
      output.line(`${counted(found.total - found.unsent, 'input')} written to ${file}`)
      if (missing > 0) output.note(`${missing} of ${found.total} have no result yet`)
    })

  of('remove', 'forget a batch; its jobs stay')
    .option(...YES)
    .examples('drydock batch remove 0b6f9c1e')
    .onSession(async ({ client, output }, batchId: string, { yes }: { yes?: true }) => {
      const find = () => client.call('batchRead', { path: { batchId } })
      const what = `batch ${batchId}`
      await confirmDeletion({ yes, find, what, question: `Forget ${what}?` }, output, surroundings)
      const answer = await client.call('batchDelete', { path: { batchId } })
      output.result(answer, `batch ${batchId} is forgotten; its jobs stay`)
    })

  function of(name: string, description: string): CliCommand {
    return batch.command(name).description(description).argument('<batch>', 'id of the batch')
  }
}

type ReadFile = () => AsyncIterable<FileLine>

async function inputsOf(path: string, template: string | undefined): Promise<ReadFile> {
  const found = await stat(path).catch((error: unknown) => Promise.reject(unreadable(path, error)))
  if (found.isDirectory()) return await imagesOf(path, template)
  if (template !== undefined) throw usageError('--template works only with a folder of images.')
  const format = extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl'
  return () => readInputs(createReadStream(path, 'utf8'), format)
}

const IMAGES = ['.png', '.jpg', '.jpeg', '.webp', '.gif', '.bmp', '.tif', '.tiff']

async function imagesOf(path: string, template = '{"image": "{file}", "name": "{name}"}'): Promise<ReadFile> {
  const names = (await readdir(path)).filter((name) => IMAGES.includes(extname(name).toLowerCase())).sort()
  async function* lines() {
    for (const name of names) {
      const file = await readFile(join(path, name), 'base64')
      const shown = JSON.stringify(name).slice(1, -1)
      const text = template.replace(/\s*\n\s*/g, ' ')
      yield `${text.replaceAll('{name}', () => shown).replaceAll('{file}', () => file)}\n`
    }
  }
  return () => readInputs(lines(), 'jsonl')
}

async function check(path: string, read: ReadFile): Promise<{ readonly total: number; readonly fingerprint: string }> {
  const hash = createHash('sha256')
  const { total, problems } = await checkInputs(read(), (text) => hash.update(text))
  if (problems.length > 0)
    throw new CliError('FILE_INVALID', { file: path, why: `${problems.join('; ')}. Nothing was queued` })
  return { total, fingerprint: `sha256 ${hash.digest('hex')}` }
}

type Sending = { readonly read: ReadFile; readonly show: (text: string) => void }

async function send(client: Session['client'], made: BatchView, { read, show }: Sending): Promise<void> {
  const path = { batchId: made.id }
  let sent = made.total - made.unsent
  for await (const { from, text, inputs } of piecesOf(read(), made.received)) {
    await client.call('batchAppend', { path, query: { from }, bytes: Readable.from([Buffer.from(text)]) })
    sent += inputs
    show(`${Math.min(sent, made.total)} of ${made.total} sent`)
  }
  show('')
}

async function report(found: BatchDetail, output: Output): Promise<void> {
  output.result(found, `${counted(found.total - found.unsent - found.refused, 'job')} queued as batch ${found.id}`)
  if (found.refused === 0) return
  for (const { reason, count, jobId } of found.failures)
    if (jobId === undefined) output.note(`${counted(count, 'line')}: ${reason}`)
  throw new CliError('LINES_REFUSED', { count: counted(found.refused, 'line') })
}

const endText = ({ endsAt }: BatchDetail, now: number) =>
  endsAt === undefined ? '' : `, the rest in about ${durationText(Math.max(0, endsAt - now))}`

function failureText(found: BatchView): string | undefined {
  const failed = failedIn(found) + found.jobs.CANCELLED
  return failed === 0 ? undefined : `ended, but ${failed} of ${found.total} inputs have no result`
}

function show(found: BatchDetail, output: Output, now: number) {
  if (output.json) return output.document(found)
  const { name, endpointId, state, total, unsent, drafts, refused, gone, jobs, failures } = found
  output.line(`${name} on ${endpointId}: ${state}, ${endedIn(found)} of ${total} ended${endText(found, now)}`)
  const rest = { 'not sent': unsent, 'not queued': drafts, refused, 'no longer stored': gone }
  const counts = Object.entries({ ...jobs, ...rest }).filter(([, count]) => count > 0)
  output.line(counts.map(([what, count]) => `${count} ${what}`).join(', '))
  if (found.waitingReason !== undefined) output.line(`waits: ${output.asCalled(found.waitingReason)}`)
  if (failures.length > 0)
    output.table(
      ['COUNT', 'REASON', 'ONE JOB'],
      failures.map(({ count, reason, jobId }) => [String(count), reason, jobId ?? '']),
    )
  const most = limit('batchFailuresRead')
  if (failedIn(found) > most) output.note(`reasons of the newest ${most} failures`)
}
