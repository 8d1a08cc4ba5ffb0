/** The options that say which jobs of many, and the filter of the service that they stand for. */
import type { Command } from 'commander'
import { timeOrSpanAgo } from './option-values.ts'
import type { Surroundings } from './surroundings.ts'

/** What such options hold. */
export type JobFilterOptions = {
  readonly endpoint?: string
  readonly status?: string
  readonly worker?: string
  readonly search?: string
  /** ms since the epoch; so is `until`. */
  readonly since?: number
  readonly until?: number
}

/** Adds the options to a command for many jobs. */
export function addJobFilter(command: Command, { now }: Surroundings): Command {
  return addTimes(
    command
      .option('--endpoint <id>', 'only jobs of this endpoint')
      .option('--status <states>', 'only jobs in these states, like FAILED,TIMED_OUT')
      .option('--worker <id>', 'only jobs that this worker has or had')
      .option('--search <text>', 'only jobs whose input, output or error holds these words'),
    now,
  )
}

/** Adds the two options of times of creation. */
export function addTimes(command: Command, now: () => number): Command {
  const time = (text: string) => timeOrSpanAgo(text, now())
  return command
    .option('--since <when>', 'only jobs created then or later: a span ago, like 2h or 7d, or 2026-11-03T14:00', time)
    .option('--until <when>', 'only jobs created then or earlier', time)
}

/** The query that lets the same jobs through. */
export function jobFilterQuery(options: JobFilterOptions): Readonly<Record<string, string | number | undefined>> {
  const { endpoint, status, worker, search, since, until } = options
  return { endpoint, status, worker, from: since, to: until, q: search }
}
