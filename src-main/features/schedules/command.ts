import { confirmDeletion, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { usageError } from '../../app/cli/cli-error.ts'
import { oneOf, spanIn } from '../../app/cli/option-values.ts'
import { duration, type Output, stateText, timeText } from '../../app/cli/output.ts'
import { openSession, type Session } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import { type ScheduleView, WHEN_MISSED } from '../../contract/schedules.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { ago, durationText, exactSpan } from '../../lib/text.ts'
import { buildRequest } from '../jobs/commands/job-request.ts'
import { errorLine } from '../jobs/rules/read-error.ts'

type AddOptions = {
  readonly cron?: string
  readonly every?: number
  readonly timeZone?: string
  readonly missed?: ScheduleView['missed']
  readonly inputFile?: string
  readonly webhook?: string
  readonly ttl?: number
  readonly executionTimeout?: number
  readonly lowPriority?: true
}

export function addSchedule(schedule: CliCommand, surroundings: Surroundings): void {
  schedule
    .command('add')
    .description('add a schedule, which queues a job at each of its times')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<name>', 'name of the schedule, unique for the endpoint')
    .argument('[input]', 'JSON object, or - to read it from standard input (default: {})')
    .option('--cron <pattern>', 'cron pattern: five fields, six with seconds first, or @daily')
    .option('--every <duration>', 'an interval instead, like 30s, 15min, 6h or 1d', spanIn('s'))
    .option('--time-zone <zone>', 'time zone of the pattern, like Europe/Berlin (default: that of the service)')
    .option(
      '--missed <what>',
      'runs missed while the service was down: skip (default), or run once for all of them',
      (text) => oneOf(WHEN_MISSED, text),
    )
    .option('--input-file <file>', 'read the input from a JSON file')
    .option('--webhook <url>', 'address that is called when a job ends')
    .option('--ttl <ms>', 'time to live of each job in ms, or like 10min', spanIn('ms'))
    .option('--execution-timeout <ms>', 'maximum run time of each job in ms, or like 60s', spanIn('ms'))
    .option('--low-priority', 'run after normal jobs')
    .details(`
The jobs are like any others: in lists, with retries and webhooks. \`drydock schedule show\` lists the runs missed while
the service was down; with --missed run, one job makes up for all of them.

Examples:
  $ drydock schedule add hello nightly '{"name": "Ada"}' --cron '0 3 * * *' --time-zone Europe/Berlin
  $ drydock schedule add hello often --every 15min --missed run`)
    .action(
      async (endpointId: string, name: string, input: string | undefined, options: AddOptions, command: CliCommand) => {
        const { cron, every: everyMs, timeZone, missed, ...ofRequest } = options
        if ((cron === undefined) === (everyMs === undefined))
          throw usageError('Give either --cron or --every, like --every 15min.')
        const { client, output } = await openSession(command, surroundings)
        const request = await buildRequest(input, ofRequest, surroundings)
        const body = { name, cron, everyMs, timeZone, missed, request }
        const made = await client.call('scheduleCreate', { path: { endpointId }, bodyText: writeExact(body) })
        if (output.json) return output.document(made)
        output.line(`schedule ${made.name} of ${endpointId} added`)
        showTimes(output, made)
      },
    )

  schedule
    .command('list', { isDefault: true })
    .description('list schedules')
    .argument('[endpoint]', 'only those of this endpoint')
    .examples('drydock schedule list', 'drydock schedule list hello --json')
    .onSession(async ({ client, output }, endpoint: string | undefined) => {
      const { schedules } = await client.call('scheduleList', { query: { endpoint } })
      const now = surroundings.now()
      output.list(
        { schedules },
        'There are no schedules. Add one with `drydock schedule add`.',
        ['ENDPOINT', 'NAME', 'WHEN', 'NEXT', 'LAST'],
        schedules.map((one) => [
          one.endpointId,
          one.name,
          timingText(one),
          nextText(one, now),
          lastText(output, one, now),
        ]),
      )
    })

  command('show', 'show a schedule: its next runs, its request and its run history')
    .examples('drydock schedule show hello nightly')
    .onSession(async ({ client, output }, endpointId: string, name: string) => {
      const found = await find(client, endpointId, name)
      if (output.json) return output.document(found)
      output.line(`${found.name} of ${found.endpointId}: ${timingText(found)}${found.paused ? ', paused' : ''}`)
      output.line(`request: ${found.request}`)
      showTimes(output, found)
      if (found.runs.length === 0) return output.line('No runs yet.')
      const now = surroundings.now()
      output.table(
        ['WHEN', 'WHAT', 'STATUS', 'EXECUTION', 'JOB', 'WHY'],
        found.runs.map(({ dueAt, outcome, count, jobId, job, reason }) => [
          ago(dueAt, now),
          count === 1 ? outcome : `${outcome}, ${count} times`,
          job === undefined ? '' : stateText(output, job),
          job?.executionTime === undefined ? '' : duration(job.executionTime),
          jobId ?? '',
          reason ?? (job?.error === undefined ? '' : errorLine(job.error)),
        ]),
      )
    })

  for (const paused of [true, false])
    command(paused ? 'pause' : 'resume', paused ? 'queue nothing until it is resumed' : 'continue with the next run')
      .details(`\nExamples:\n  $ drydock schedule ${paused ? 'pause' : 'resume'} hello nightly`)
      .onSession(async ({ client, output }, endpointId: string, name: string) => {
        const { id: scheduleId } = await find(client, endpointId, name)
        const changed = await client.call('scheduleUpdate', { path: { endpointId, scheduleId }, body: { paused } })
        if (output.json) return output.document(changed)
        output.line(`schedule ${name} ${paused ? 'paused' : 'resumed'}`)
        showTimes(output, changed)
      })

  command('run', 'queue its request now, in addition to its schedule')
    .examples('drydock schedule run hello nightly')
    .onSession(async ({ client, output }, endpointId: string, name: string) => {
      const { id: scheduleId } = await find(client, endpointId, name)
      const queued = await client.call('scheduleRunNow', { path: { endpointId, scheduleId } })
      output.result(queued, queued.jobId)
    })

  command('remove', 'delete a schedule; jobs that it has queued stay')
    .option(...YES)
    .examples('drydock schedule remove hello nightly')
    .onSession(async ({ client, output }, endpointId: string, name: string, { yes }: { yes?: true }) => {
      const { id: scheduleId } = await find(client, endpointId, name)
      const what = `schedule ${name} of ${endpointId}`
      await confirmDeletion({ yes, what, question: `Remove ${what}?` }, output, surroundings)
      const response = await client.call('scheduleDelete', { path: { endpointId, scheduleId } })
      output.result(response, `schedule ${name} of ${endpointId} removed`)
    })

  function command(name: string, description: string): CliCommand {
    return schedule
      .command(name)
      .description(description)
      .argument('<endpoint>', 'id of the endpoint')
      .argument('<name>', 'name of the schedule')
  }
}

async function find(client: Session['client'], endpointId: string, name: string): Promise<ScheduleView> {
  const { schedules } = await client.call('scheduleList', { query: { endpoint: endpointId } })
  const found = schedules.find((one) => one.name === name)
  if (found !== undefined) return found
  throw usageError(`Endpoint ${endpointId} has no schedule ${name}. List them with \`drydock schedule list\`.`)
}

function showTimes(output: Output, { upcoming }: ScheduleView): void {
  if (upcoming.length > 0) output.line(`next: ${upcoming.map(timeText).join(', ')}`)
}

function timingText({ cron, everyMs, timeZone }: ScheduleView): string {
  if (everyMs !== undefined) return `every ${exactSpan(everyMs)}`
  return timeZone === undefined ? `${cron}` : `${cron} (${timeZone})`
}

function nextText({ paused, nextAt }: ScheduleView, now: number): string {
  if (nextAt === undefined) return paused ? 'paused' : 'no further runs'
  return nextAt <= now ? 'now' : `in ${durationText(nextAt - now)}`
}

function lastText(output: Output, { runs: [last] }: ScheduleView, now: number): string {
  if (last === undefined) return ''
  const { job, outcome, dueAt } = last
  const took = job?.executionTime === undefined ? '' : ` in ${duration(job.executionTime)}`
  return `${job === undefined ? outcome : stateText(output, job)}${took} ${ago(dueAt, now)}`
}
