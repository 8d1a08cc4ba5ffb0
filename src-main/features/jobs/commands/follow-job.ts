import { CliError } from '../../../app/cli/cli-error.ts'
import { following } from '../../../app/cli/interrupt.ts'
import type { Output } from '../../../app/cli/output.ts'
import { withSpinner } from '../../../app/cli/progress-line.ts'
import { isUnsent } from '../../../app/cli/reconnect.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ResponseOf } from '../../../app/client/calls.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { limit } from '../../../contract/limits.ts'
import type { QueueStatus } from '../../../contract/management.ts'
import { writeExact } from '../../../lib/json/plain.ts'
import { capitalized } from '../../../lib/text.ts'
import type { WaitingReason } from '../../workers/rules/waiting-reason.ts'
import { aheadText } from '../rules/expected-start.ts'
import { isFinal } from '../rules/transitions.ts'
import { expectSuccess, type JobRecord, showJob, startText } from './show-job.ts'

export type JobAddress = { readonly endpointId: string; readonly jobId: string }

export type Followed = { readonly job: JobRecord; readonly reason?: WaitingReason | undefined }

export type FollowOptions = {
  readonly show: (reason: string) => void
  readonly now: () => number
  /** Deadline on the clock of `now`; undefined: waits as long as it can help. */
  readonly until?: number
  readonly signal?: AbortSignal | undefined
}

export async function jobAddress(
  client: ServiceClient,
  first: string,
  second: string | undefined,
): Promise<JobAddress> {
  if (second !== undefined) return { endpointId: first, jobId: second }
  const { endpointId } = await client.call('jobRead', { path: { jobId: first } })
  return { endpointId, jobId: first }
}

/** @throws the original error if it means something else or the job is unknown */
export async function readExpired(
  client: ServiceClient,
  { endpointId, jobId }: JobAddress,
  error: unknown,
): Promise<ResponseOf<'jobRead'>> {
  if (!(error instanceof CliError) || error.body.code !== 'JOB_NOT_FOUND') throw error
  const job = await client.call('jobRead', { path: { jobId } }).catch(() => {
    throw error
  })
  if (job.endpointId !== endpointId || job.expiresAt === undefined) throw error
  return job
}

export async function waitForEnd(client: ServiceClient, path: JobAddress, options: FollowOptions): Promise<Followed> {
  const { show, now, until = Number.POSITIVE_INFINITY, signal } = options
  const stop = signal === undefined ? {} : { signal }
  for (;;) {
    const { queue, ...status } = await queueStatusOf(client, path)
    const reason = reasonOf(status)
    show(shownWait(reason, queue, now()))
    if (reason?.needsChange === true) return { job: await client.call('status', { path, ...stop }), reason }
    const wait = Math.min(Math.max(until - now(), limit('waitMinMs')), POLL_EVERY_MS)
    const job = await client
      .call('statusSync', { path, query: { wait }, ...stop })
      .catch((error: unknown) => readExpired(client, path, error))
    if (isFinal(job.status)) return { job }
    if (now() >= until) return { job, reason }
  }
}

// ms between reads of the reason. Source: ours, the shortest wait that the service accepts.
const POLL_EVERY_MS = limit('waitMinMs')

export const jobContinues = (jobId: string) =>
  `Job ${jobId} continues; \`drydock status ${jobId}\` shows it, \`drydock cancel ${jobId}\` cancels it.`

type RunRequest = { readonly endpointId: string; readonly body: Record<string, unknown>; readonly waitMs: number }

/** As `runAndWait`; shows why the job waits, and prints that it continues when the command is interrupted. */
export async function runShown(
  client: ServiceClient,
  request: RunRequest,
  message: string,
  terminal: { readonly output: Output; readonly surroundings: Surroundings },
): Promise<Followed> {
  const { endpointId } = request
  let jobId: string | undefined
  const continues = (failure?: CliError) => {
    if (jobId !== undefined) return jobContinues(jobId)
    if (failure !== undefined && isUnsent(failure)) return undefined
    return `The job may have been accepted; if so, \`drydock jobs list --endpoint ${endpointId}\` shows it.`
  }
  return following(continues, terminal, () =>
    withSpinner(message, terminal, (show) =>
      runAndWait(client, request, {
        show,
        now: terminal.surroundings.now,
        onJob: (id) => {
          jobId = id
        },
      }),
    ),
  )
}

/** Sends `runsync` and waits for the job; the limit in ms includes the request. */
export async function runAndWait(
  client: ServiceClient,
  request: RunRequest,
  options: Omit<FollowOptions, 'until'> & { readonly onJob?: (id: string) => void },
): Promise<Followed> {
  const { endpointId, body, waitMs } = request
  const until = options.now() + waitMs
  const stop = options.signal === undefined ? {} : { signal: options.signal }
  // A short wait returns the id, by which the waiting reason can be read.
  const query = { wait: Math.min(waitMs, POLL_EVERY_MS) }
  const job = await client.call('runsync', { path: { endpointId }, query, bodyText: writeExact(body), ...stop })
  options.onJob?.(job.id)
  if (isFinal(job.status) || options.now() >= until) return { job }
  return waitForEnd(client, { endpointId, jobId: job.id }, { ...options, until })
}

/**
 * @param options.giveUp called when waiting cannot help
 * @returns why waiting cannot help; undefined when it was ended, or can read no longer
 */
export async function watchReasons(
  client: ServiceClient,
  path: JobAddress,
  options: Pick<FollowOptions, 'show'> &
    Pick<Surroundings, 'pause'> & { readonly signal: AbortSignal; readonly giveUp: () => void },
): Promise<WaitingReason | undefined> {
  const { show, pause, signal, giveUp } = options
  try {
    for (;;) {
      const reason = await whyItWaits(client, path, signal)
      if (signal.aborted) return undefined
      show(reason?.text ?? '')
      if (reason?.needsChange === true) {
        giveUp()
        return reason
      }
      await pause(POLL_EVERY_MS, signal)
    }
  } catch (error) {
    if (signal.aborted || error instanceof CliError) return undefined
    giveUp()
    throw error
  }
}

/** Returns nothing for an endpoint key, which may not manage the service. */
export async function queueStatusOf(
  client: ServiceClient,
  { jobId }: JobAddress,
  signal?: AbortSignal,
): Promise<QueueStatus> {
  const stop = signal === undefined ? {} : { signal }
  try {
    return await client.call('jobProgress', { path: { jobId }, ...stop })
  } catch (error) {
    if (error instanceof CliError && error.status === 403) return {}
    throw error
  }
}

async function whyItWaits(
  client: ServiceClient,
  path: JobAddress,
  signal?: AbortSignal,
): Promise<WaitingReason | undefined> {
  return reasonOf(await queueStatusOf(client, path, signal))
}

const shownWait = (reason: WaitingReason | undefined, queue: QueueStatus['queue'], now: number) =>
  [
    reason?.text,
    queue && `${capitalized(aheadText(queue))}.`,
    queue?.start && `Start ${startText(queue, now).replace(/: $/, '.')}`,
  ]
    .filter(Boolean)
    .join(' ')

function reasonOf({ waitingReason, waitingNeedsChange }: QueueStatus): WaitingReason | undefined {
  return waitingReason === undefined ? undefined : { text: waitingReason, needsChange: waitingNeedsChange === true }
}

export function showOutcome(output: Output, endpointId: string, { job, reason }: Followed): void {
  showJob(output, endpointId, job, { waitingReason: reason?.text })
  const facts = { jobId: job.id, endpointId, status: job.status }
  if (reason?.needsChange === true) throw waitsInVain(job.id, reason)
  const why = reason === undefined ? '' : `: ${reason.text.replace(/\.$/, '')}`
  if (!isFinal(job.status)) throw new CliError('WAIT_OVER', { ...facts, why })
  expectSuccess(job)
}

export function waitsInVain(jobId: string, reason: WaitingReason): CliError {
  return new CliError('WAITS_IN_VAIN', { jobId, why: reason.text })
}
