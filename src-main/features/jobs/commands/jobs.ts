import { createReadStream, createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, unreadable, unwritable } from '../../../app/cli/cli-error.ts'
import { timeOrSpanAgo, wholeNumber } from '../../../app/cli/option-values.ts'
import { duration, type Output, stateText } from '../../../app/cli/output.ts'
import { expectEndpoint, openSession, type Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ResponseOf } from '../../../app/client/calls.ts'
import type { JobListItem } from '../../../contract/job.ts'
import { ago, counted, keepEnds, keepStart } from '../../../lib/text.ts'
import { isExpired } from '../rules/job-record.ts'
import { errorLine } from '../rules/read-error.ts'
import { confirmBulkCancel } from './confirm-cancel.ts'

type ListOptions = Pick<JobFilterOptions, 'endpoint' | 'status' | 'batch' | 'since' | 'until'> & {
  readonly limit?: number
  readonly cursor?: string
}

export function addJobs(jobs: CliCommand, surroundings: Surroundings): void {
  addListOptions(jobs.command('list', { isDefault: true }), surroundings)
    .description('list jobs, newest first')
    .examples(
      'drydock jobs',
      'drydock jobs list --endpoint hello --status FAILED --limit 20',
      'drydock jobs --batch batch_0b6f9c1e',
    )
    .action((options: ListOptions, command: CliCommand) => list(undefined, options, command))

  addListOptions(jobs.command('search'), surroundings)
    .description('search the input, output and error of jobs, newest first')
    .argument('<text>', 'text to search for')
    .examples('drydock jobs search "out of memory"', 'drydock jobs search Ada --endpoint hello --json')
    .action((text: string, options: ListOptions, command: CliCommand) => list(text, options, command))

  addJobsBulk(jobs, surroundings)
  addJobsFiles(jobs, surroundings)

  async function list(q: string | undefined, options: ListOptions, command: CliCommand): Promise<void> {
    const { jobList } = await import('../../../contract/job.ts')
    const { client, output } = await openSession(command, surroundings)
    const { limit, cursor, ...filter } = options
    const query = { ...jobFilterQuery(filter), q, limit, cursor, ...(output.json ? {} : { previews: 'true' }) }
    const page = jobList.parse(await client.call('jobList', { query }))
    if (page.requests.length === 0) await expectFilter(client, options)
    if (output.json) return output.document(page)
    if (page.requests.length === 0) output.line(q === undefined ? 'There are no jobs.' : `No job matches "${q}".`)
    else showPage(output, page.requests, surroundings.now())
    if (page.requests.some((job) => isExpired(job, surroundings.now()))) output.note(EXPIRED)
    if (page.cursor !== undefined) output.note(`For older jobs, add --cursor ${page.cursor}`)
  }
}

async function expectFilter(client: Session['client'], { endpoint, batch }: JobFilterOptions): Promise<void> {
  await expectEndpoint(client, endpoint)
  if (batch !== undefined) await client.call('batchRead', { path: { batchId: batch } })
}

function addListOptions(command: CliCommand, { now }: Surroundings): CliCommand {
  return addTimes(addStates(command), now)
    .option('--limit <count>', 'jobs per page, 1 to 500 (default 50)', wholeNumber)
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
}

const EXPIRED =
  'Expired: the API answers 404 for the job, as in production. To run it again as a new job: drydock retry JOB --new'

function showPage(output: Output, jobs: readonly JobListItem[], now: number): void {
  output.table(
    ['JOB', 'ENDPOINT', 'STATUS', 'CREATED', 'DELAY', 'EXECUTION', 'INPUT', 'OUTPUT OR ERROR'],
    jobs.map((job) => [
      job.id,
      job.endpointId,
      isExpired(job, now) ? `${stateText(output, job)}, expired` : stateText(output, job),
      ago(job.createdAt, now),
      job.delayTime === undefined ? '' : duration(job.delayTime),
      job.executionTime === undefined ? '' : duration(job.executionTime),
      keepStart(job.preview?.input ?? '', INPUT_LENGTH),
      job.error === undefined
        ? keepStart(job.preview?.output ?? '', RESULT_LENGTH)
        : output.paint('red', keepEnds(errorLine(job.error), RESULT_LENGTH)),
    ]),
  )
}

// Characters of a payload or error per row. Source: ours, so that a row fits a wide terminal.
const INPUT_LENGTH = 40
const RESULT_LENGTH = 60

type BulkOptions = JobFilterOptions & { readonly all?: boolean; readonly yes?: true }

const DONE = { retry: 'queued again', cancel: 'cancelled', rerun: 'run again as new jobs' } as const
const DESCRIPTIONS = {
  retry: 'retry all matching jobs that failed or timed out',
  cancel: 'cancel all matching jobs that have not ended',
  rerun: 'run all matching ended jobs again, as new jobs with the same inputs',
} as const

function addJobsBulk(parent: CliCommand, surroundings: Surroundings): void {
  for (const action of ['retry', 'cancel', 'rerun'] as const) {
    const bulk = addJobFilter(parent.command(action), surroundings)
    if (action === 'cancel') bulk.option(...YES)
    bulk
      .description(DESCRIPTIONS[action])
      .option('--all', 'all jobs of all endpoints')
      .details(
        `\nJobs that arrive in the meantime are not changed.\n\nExamples:\n  $ drydock jobs ${action} --endpoint hello\n  $ drydock jobs ${action} --search "out of memory" --json`,
      )
      .action(async ({ all = false, yes, ...options }: BulkOptions, command: CliCommand) => {
        const filter = filterOf(options)
        if (Object.keys(filter).length === 0 && !all) {
          const why = `Choose which jobs to ${action}: --endpoint, --batch, --status, --worker, --search, --since or --until, or --all.`
          throw new CliError('USAGE', { why })
        }
        const session = await openSession(command, surroundings)
        const { client, output } = session
        const find = () => expectFilter(client, options)
        if (action === 'cancel')
          await confirmBulkCancel(
            { yes, what: (many) => many('matching unfinished job'), jobs: { filter }, find },
            session,
            surroundings,
          )
        const result = await client.call('jobBulk', { body: { action, filter } })
        if (result.changed === 0 && result.refused.length === 0) await find()
        if (output.json) return output.document(result)
        output.line(`${counted(result.changed, 'job')} ${DONE[action]}.`)
        for (const { reason, count } of result.refused) output.note(`${counted(count, 'job')} not changed: ${reason}.`)
      })
  }
}

export function filterOf({ status, ...options }: JobFilterOptions): object {
  const given = { ...jobFilterQuery(options), status: status?.split(',') }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

type ExportOptions = JobFilterOptions & { readonly output?: string }

function addJobsFiles(parent: CliCommand, surroundings: Surroundings): void {
  addJobFilter(parent.command('export'), surroundings)
    .description('write jobs as JSON lines, oldest first, with input and output')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .details(`
Each line is also a request body: \`drydock jobs import\` queues the file as new jobs, in the order in which the old ones
were created.

Examples:
  $ drydock jobs export --endpoint hello --status FAILED -o failed.jsonl
  $ drydock jobs export --since 24h -o today.jsonl
  $ drydock jobs export | jq .input`)
    .onSession(async ({ client, output }, { output: file, ...filter }: ExportOptions) => {
      let lines = 0
      const counting = async function* () {
        for await (const piece of client.download('jobExport', { query: jobFilterQuery(filter) })) {
          lines += piece.split('\n').length - 1
          yield piece
        }
        if (lines === 0) await expectFilter(client, filter)
      }
      if (file === undefined) {
        for await (const piece of counting()) await surroundings.stdout.write(piece)
        return
      }
      const path = resolve(surroundings.cwd, file)
      await pipeline(Readable.from(counting()), createWriteStream(path)).catch((error: unknown) => {
        if (error instanceof CliError) throw error
        throw unwritable(path, error)
      })
      output.result({ file: path, jobs: lines }, `${counted(lines, 'job')} written to ${path}`)
    })

  parent
    .command('import')
    .description('queue a new job for each line of a file')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<file>', 'file of JSON lines like {"input": {...}}, or an export; - reads standard input')
    .details(`
Invalid lines are reported by number, and all others are queued; the exit code is then 1.

Examples:
  $ drydock jobs import hello inputs.jsonl
  $ drydock jobs export --status FAILED --endpoint hello | drydock jobs import hello -`)
    .onSession(async ({ client, output }, endpointId: string, file: string) => {
      const bytes = file === '-' ? surroundings.stdin : readLines(resolve(surroundings.cwd, file))
      const result = await client.call('jobImport', { path: { endpointId }, bytes })
      output.result(result, () => show(output, endpointId, result))
      if (result.refused > 0) throw new CliError('LINES_REFUSED', { count: counted(result.refused, 'line') })
    })
}

async function* readLines(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

function show(output: Output, endpointId: string, { queued, refused, bad }: ResponseOf<'jobImport'>): void {
  output.line(`${counted(queued, 'job')} queued on ${endpointId}`)
  for (const { line, reason } of bad) output.note(`line ${line}: ${reason}`)
  if (refused > bad.length) output.note(`and ${counted(refused - bad.length, 'line')} more`)
}

export type JobFilterOptions = {
  readonly endpoint?: string
  readonly status?: string
  readonly batch?: string
  readonly worker?: string
  readonly search?: string
  /** ms since the epoch; so is `until`. */
  readonly since?: number
  readonly until?: number
}

export function addJobFilter(command: CliCommand, { now }: Surroundings): CliCommand {
  return addTimes(
    addStates(command)
      .option('--worker <id>', 'only jobs that this worker has or had')
      .option('--search <text>', 'only jobs with every word of this text in their input, output or error'),
    now,
  )
}

function addStates(command: CliCommand): CliCommand {
  return command
    .option('--endpoint <endpoint>', 'only jobs of this endpoint')
    .option('--batch <batch>', 'only jobs of this batch')
    .option(
      '--status <states>',
      'only jobs in these states, like FAILED,TIMED_OUT; TIMED_OUT also matches jobs stopped by their executionTimeout',
    )
}

function addTimes(command: CliCommand, now: () => number): CliCommand {
  const time = (text: string) => timeOrSpanAgo(text, now())
  return command
    .option('--since <when>', 'only jobs created since then: 2h or 7d ago, or a time like 2026-11-03T14:00', time)
    .option('--until <when>', 'only jobs created until then', time)
}

function jobFilterQuery(options: JobFilterOptions): Readonly<Record<string, string | number | undefined>> {
  const { endpoint, status, batch, worker, search, since, until } = options
  return { endpoint, status, batch, worker, from: since, to: until, q: search }
}
