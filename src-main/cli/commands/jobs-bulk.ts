import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

type BulkOptions = {
  readonly endpoint?: string
  readonly status?: string
  readonly worker?: string
  readonly search?: string
  readonly all?: boolean
}

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
    parent
      .command(action)
      .description(DESCRIPTIONS[action])
      .option('--endpoint <id>', 'only jobs of this endpoint')
      .option('--status <states>', 'only jobs in these states, like FAILED,TIMED_OUT')
      .option('--worker <id>', 'only jobs that this worker has or had')
      .option('--search <text>', 'only jobs whose input, output or error holds these words')
      .option('--all', 'all jobs of all endpoints')
      .addHelpText(
        'after',
        `\nJobs that come meanwhile are left alone.\n\nExamples:\n  $ drydock jobs ${action} --endpoint hello\n  $ drydock jobs ${action} --search "out of memory" --json`,
      )
      .action(async ({ all = false, ...options }: BulkOptions, command: Command) => {
        const filter = filterOf(options)
        if (Object.keys(filter).length === 0 && !all) {
          const why = `Say which jobs to ${action}: --endpoint, --status, --worker or --search, or --all of them.`
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

function filterOf({ endpoint, status, worker, search }: Omit<BulkOptions, 'all'>): object {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(status === undefined ? {} : { status: status.split(',') }),
    ...(worker === undefined ? {} : { worker }),
    ...(search === undefined ? {} : { q: search }),
  }
}
