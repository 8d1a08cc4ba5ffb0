import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { addJobFilter, type JobFilterOptions, jobFilterQuery } from '../job-filter.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

type BulkOptions = JobFilterOptions & { readonly all?: boolean }

const DONE = { retry: 'queued again', cancel: 'cancelled', rerun: 'run again as new jobs' } as const
const DESCRIPTIONS = {
  retry: 'retry all failed and timed-out jobs that match',
  cancel: 'cancel all jobs that match and have not ended',
  rerun: 'run all ended jobs that match again, as new jobs with the same inputs',
} as const

const jobs = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`

/** `drydock jobs retry`, `jobs cancel` and `jobs rerun`: many jobs at once. @param parent `drydock jobs` */
export function addJobsBulk(parent: Command, surroundings: Surroundings): void {
  for (const action of ['retry', 'cancel', 'rerun'] as const) {
    addJobFilter(parent.command(action), surroundings)
      .description(DESCRIPTIONS[action])
      .option('--all', 'all jobs of all endpoints')
      .addHelpText(
        'after',
        `\nJobs that come meanwhile are left alone.\n\nExamples:\n  $ drydock jobs ${action} --endpoint hello\n  $ drydock jobs ${action} --search "out of memory" --json`,
      )
      .action(async ({ all = false, ...options }: BulkOptions, command: Command) => {
        const filter = filterOf(options)
        if (Object.keys(filter).length === 0 && !all) {
          const why = `Say which jobs to ${action}: --endpoint, --status, --worker, --search, --since or --until, or --all of them.`
          throw new CliError('USAGE', { why })
        }
        const { client, output } = await openSession(command, surroundings)
        const result = await client.call('jobBulk', { body: { action, filter } })
        if (output.json) {
          output.document(result)
          return
        }
        output.line(`${jobs(result.changed)} ${DONE[action]}.`)
        for (const { reason, count } of result.refused) output.note(`${jobs(count)} left as before: ${reason}.`)
      })
  }
}

function filterOf({ status, ...options }: JobFilterOptions): object {
  const given = { ...jobFilterQuery(options), status: status?.split(',') }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
