import type { ReleaseView } from '../../contract/app.ts'
import type { JobState } from '../../contract/job.ts'
import { counted } from '../../lib/text.ts'
import type { ServiceClient } from '../client/service-client.ts'
import type { TimeSource } from '../core.ts'

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

export type EndedNote = { readonly title: string; readonly body: string; readonly page: string }

function isReported(ended: Ended): boolean {
  return ended.kind === 'release' || ended.state !== 'CANCELLED'
}

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

// Jobs finishing within this time share one notification, ms.
const GATHER_MS = 2000
// Minimum interval between notifications, ms: at most two a minute.
const BETWEEN_MS = 30_000
// Bounds memory; jobs beyond this number are not counted.
const MAX_REMEMBERED = 1000

export type EndedNotifier = ReturnType<typeof notifyEnded>

export function notifyEnded({
  time,
  wanted,
  show,
}: {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly wanted: () => boolean
  readonly show: (note: EndedNote) => void
}) {
  let gathered: Ended[] = []
  let lastShownAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  function notify(): void {
    cancel = undefined
    const note = joinEnded(gathered)
    gathered = []
    if (note === undefined || !wanted()) return
    lastShownAt = time.monotonic()
    show(note)
  }

  return {
    add(ended: Ended) {
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

type NewestReleases = Readonly<Record<string, ReleaseView>>

/** Releases that finished between two snapshots, including new ones, but none finished before the first. */
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

// Combines a deploy's many events into one check, ms.
const CHECK_AFTER_MS = 500
const PREPARING_MS = 2000

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
