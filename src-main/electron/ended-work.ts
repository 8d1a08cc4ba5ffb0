/**
 * Combines jobs and deploys that finish while the window is not focused into one notification. The service reports
 * jobs as events; deploys are polled.
 */

import type { ServiceClient } from '../client/service-client.ts'
import type { ReleaseView } from '../contract/app.ts'
import type { JobState } from '../contract/job.ts'
import type { TimeSource } from '../core.ts'
import { counted } from '../domain/text.ts'

/** A job or a deploy that has finished. */
export type Ended =
  | { readonly kind: 'job'; readonly endpointId: string; readonly jobId: string; readonly state: JobState }
  | {
      readonly kind: 'release'
      readonly app: string
      readonly environment: string
      readonly number: number
      readonly failed: boolean
      readonly why?: string | undefined
    }

/** A notification, and the path of the page that it opens. */
export type EndedNote = { readonly title: string; readonly body: string; readonly page: string }

/** Whether it is worth a notification. Users who cancel a job already know about it. */
function isReported(ended: Ended): boolean {
  return ended.kind === 'release' || ended.state !== 'CANCELLED'
}

/** Combines finished work into one notification. @returns undefined for an empty list */
export function joinEnded(ended: readonly Ended[]): EndedNote | undefined {
  const [first] = ended
  if (first === undefined) return undefined
  if (ended.length === 1) return noteOfOne(first)
  const jobs = ended.filter((one) => one.kind === 'job')
  const releases = ended.filter((one) => one.kind === 'release')
  const parts = [
    unlessNone(jobs.filter(({ state }) => state === 'COMPLETED').length, 'job completed', 'jobs completed'),
    unlessNone(jobs.filter(({ state }) => state === 'FAILED').length, 'job failed', 'jobs failed'),
    unlessNone(jobs.filter(({ state }) => state === 'TIMED_OUT').length, 'job timed out', 'jobs timed out'),
    unlessNone(releases.filter(({ failed }) => !failed).length, 'deploy succeeded', 'deploys succeeded'),
    unlessNone(releases.filter(({ failed }) => failed).length, 'deploy failed', 'deploys failed'),
  ].filter((part) => part !== '')
  const endpoints = [...new Set(jobs.map(({ endpointId }) => endpointId))]
  const [only] = endpoints
  const oneEndpoint = endpoints.length === 1 && releases.length === 0 ? only : undefined
  return {
    title: parts.join(', '),
    body: oneEndpoint ?? namesOf([...endpoints, ...releases.map(nameOf)]),
    page: oneEndpoint === undefined ? (jobs.length === 0 ? '/apps' : '/jobs') : `/endpoints/${oneEndpoint}/jobs`,
  }
}

const JOB_ENDED: Readonly<Partial<Record<JobState, string>>> = {
  COMPLETED: 'Job completed',
  FAILED: 'Job failed',
  TIMED_OUT: 'Job timed out',
}

function noteOfOne(ended: Ended): EndedNote {
  if (ended.kind === 'job') {
    const { endpointId, jobId, state } = ended
    return { title: JOB_ENDED[state] ?? 'Job ended', body: `${endpointId}, ${jobId}`, page: `/jobs/${jobId}` }
  }
  const { app, environment, number, failed, why } = ended
  return {
    title: failed ? 'Deploy failed' : 'Deploy succeeded',
    body: `Release ${number} of ${nameOf(ended)}${why === undefined ? '' : `: ${why}`}`,
    page: `/apps/deployed/${app}/${environment}`,
  }
}

const nameOf = ({ app, environment }: { readonly app: string; readonly environment: string }) => `${app}/${environment}`
const unlessNone = (count: number, one: string, many: string) => (count === 0 ? '' : counted(count, one, many))

const NAMED = 3

function namesOf(names: readonly string[]): string {
  const distinct = [...new Set(names)]
  const rest = distinct.length - NAMED
  return rest <= 0 ? distinct.join(', ') : `${distinct.slice(0, NAMED).join(', ')} and ${rest} more`
}

// Jobs that finish within this time share one notification, in ms.
const GATHER_MS = 2000
// Minimum time between notifications, so that a long queue shows at most two a minute.
const BETWEEN_MS = 30_000
// Bounds memory; further jobs are not counted.
const MAX_REMEMBERED = 1000

/** Collects finished work and shows notifications until `stop` is called. */
export type EndedNotifier = { readonly add: (ended: Ended) => void; readonly stop: () => void }

/**
 * Creates a notifier for finished work.
 * @param wanted whether to notify now: the setting is on and the window is not focused
 */
export function notifyEnded({
  time,
  wanted,
  show,
}: {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly wanted: () => boolean
  readonly show: (note: EndedNote) => void
}): EndedNotifier {
  let gathered: Ended[] = []
  let lastShownAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  function notify(): void {
    cancel = undefined
    const note = joinEnded(gathered)
    gathered = []
    // The user may have returned to the window in the meantime.
    if (note === undefined || !wanted()) return
    lastShownAt = time.monotonic()
    show(note)
  }

  return {
    add(ended) {
      if (!isReported(ended) || !wanted()) return
      if (gathered.length < MAX_REMEMBERED) gathered.push(ended)
      cancel ??= time.after(Math.max(GATHER_MS, lastShownAt + BETWEEN_MS - time.monotonic()), notify)
    },
    stop() {
      cancel?.()
      cancel = undefined
      gathered = []
    },
  }
}

/** Newest release of each environment, keyed by `app/environment`. */
type NewestReleases = Readonly<Record<string, ReleaseView>>

/**
 * Finds the releases that finished between two snapshots, including those created in between. Releases that finished
 * before the first snapshot do not count.
 */
export function decidedBetween(before: NewestReleases, now: NewestReleases): readonly Ended[] {
  return Object.entries(now).flatMap(([target, release]) => {
    const earlier = before[target]
    const isNew = earlier?.number !== release.number || earlier.state === 'preparing'
    if (!isNew || release.state === 'preparing') return []
    const { app, environment, number, state, reason } = release
    const failed = state === 'failed'
    return [{ kind: 'release' as const, app, environment, number, failed, why: failed ? reason : undefined }]
  })
}

// A deploy causes many events at once; this delay combines them into one check, in ms.
const CHECK_AFTER_MS = 500
// Poll interval while a release is being prepared.
const PREPARING_MS = 2000

/** Watches for finished deploys. Sends no requests while nothing changes. */
export function watchReleases({
  client,
  after,
  onEnded,
  signal,
}: {
  readonly client: ServiceClient
  readonly after: (ms: number, run: () => void) => () => void
  readonly onEnded: (ended: Ended) => void
  readonly signal: AbortSignal
}): { readonly check: () => void } {
  let before: NewestReleases | undefined
  let cancel: (() => void) | undefined
  signal.addEventListener('abort', () => cancel?.(), { once: true })

  async function check(): Promise<void> {
    cancel = undefined
    if (signal.aborted) return
    const now = await newestReleases(client, signal).catch(() => undefined)
    if (now === undefined || signal.aborted) return
    if (before !== undefined) for (const ended of decidedBetween(before, now)) onEnded(ended)
    before = now
    if (Object.values(now).some(({ state }) => state === 'preparing')) plan(PREPARING_MS)
  }

  function plan(ms: number): void {
    cancel ??= after(ms, () => void check())
  }

  return { check: () => plan(CHECK_AFTER_MS) }
}

async function newestReleases(client: ServiceClient, signal: AbortSignal): Promise<NewestReleases> {
  const { apps } = await client.call('appList', { signal })
  const environments = apps.flatMap(({ environments }) => environments)
  const found = await Promise.all(
    environments.map(async ({ app, name }) => {
      const path = { app, environment: name }
      const [newest] = (await client.call('releaseList', { path, signal })).releases
      return newest === undefined ? [] : [[`${app}/${name}`, newest] as const]
    }),
  )
  return Object.fromEntries(found.flat())
}
