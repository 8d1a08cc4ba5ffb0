import type { Command } from 'commander'
import type { JobListItem } from '../../contract/job.ts'
import { errorLine } from '../../domain/job/read-error.ts'
import { ago, duration } from '../format.ts'
import { addTimes, type JobFilterOptions, jobFilterQuery } from '../job-filter.ts'
import { wholeNumber } from '../job-request.ts'
import { type Output, stateText } from '../output.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'
import { addJobsBulk } from './jobs-bulk.ts'
import { addJobsFiles } from './jobs-files.ts'

type ListOptions = Pick<JobFilterOptions, 'endpoint' | 'status' | 'since' | 'until'> & {
  readonly limit?: number
  readonly cursor?: string
}

/** `drydock jobs`: list and search jobs, retry or cancel many. */
export function addJobs(program: Command, surroundings: Surroundings): void {
  const jobs = program
    .command('jobs')
    .description('list jobs, search them, retry or cancel many, export and import them')

  addListOptions(jobs.command('list', { isDefault: true }), surroundings)
    .description('list jobs, newest first')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock jobs\n  $ drydock jobs list --endpoint hello --status FAILED --limit 20',
    )
    .action((options: ListOptions, command: Command) => list(undefined, options, command))

  addListOptions(jobs.command('search'), surroundings)
    .description('search the input, output and error of jobs, newest first')
    .argument('<text>', 'words to look for')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock jobs search "out of memory"\n  $ drydock jobs search Ada --endpoint hello --json',
    )
    .action((text: string, options: ListOptions, command: Command) => list(text, options, command))

  addJobsBulk(jobs, surroundings)
  addJobsFiles(jobs, surroundings)

  async function list(q: string | undefined, options: ListOptions, command: Command): Promise<void> {
    const { jobList } = await import('../../contract/job.ts')
    const { client, output } = await openSession(command, surroundings)
    const { limit, cursor, ...filter } = options
    const query = { ...jobFilterQuery(filter), q, limit, cursor }
    const page = jobList.parse(await client.call('jobList', { query }))
    if (output.json) {
      output.document(page)
      return
    }
    if (page.requests.length === 0) output.line(q === undefined ? 'There is no job.' : `No job matches "${q}".`)
    else showPage(output, page.requests, surroundings.now())
    if (page.requests.some((job) => isExpired(job, surroundings.now()))) output.note(EXPIRED)
    if (page.cursor !== undefined) output.note(`Older jobs: the same command with --cursor ${page.cursor}`)
  }
}

function addListOptions(command: Command, { now }: Surroundings): Command {
  const filtered = command
    .option('--endpoint <id>', 'only jobs of this endpoint')
    .option('--status <state>', 'only jobs in these states, like IN_QUEUE or FAILED,TIMED_OUT')
  return addTimes(filtered, now)
    .option('--limit <count>', 'jobs on a page, 1 to 500 (default 50)', wholeNumber)
    .option('--cursor <cursor>', 'go on after the page that showed this cursor')
}

const EXPIRED =
  'Expired: the API answers 404 for the job, as in production. It runs again as a new job with: drydock retry JOB --new'

const isExpired = ({ expiresAt }: JobListItem, now: number) => expiresAt !== undefined && expiresAt <= now

function showPage(output: Output, jobs: readonly JobListItem[], now: number): void {
  output.table(
    ['JOB', 'ENDPOINT', 'STATUS', 'CREATED', 'DELAY', 'EXECUTION', 'ERROR'],
    jobs.map((job) => [
      job.id,
      job.endpointId,
      isExpired(job, now) ? `${stateText(output, job.status)}, expired` : stateText(output, job.status),
      ago(job.createdAt, now),
      job.delayTime === undefined ? '' : duration(job.delayTime),
      job.executionTime === undefined ? '' : duration(job.executionTime),
      errorSummary(job.error),
    ]),
  )
}

// Characters of an error in a row of the table; source: ours, so that a row fits a wide terminal.
const ERROR_LENGTH = 60

function errorSummary(error: string | undefined): string {
  const line = errorLine(error ?? '')
  return line.length > ERROR_LENGTH ? `${line.slice(0, ERROR_LENGTH - 1)}…` : line
}
