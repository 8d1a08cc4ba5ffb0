import type { ServiceClient } from '../cli/client.ts'
import type { ReleaseView } from '../contract/app.ts'
import type { Ended } from './ended-work.ts'

/** The newest release of each environment, by `app/environment`. */
export type NewestReleases = Readonly<Record<string, ReleaseView>>

/**
 * The releases that were decided between two looks. One that was made and decided in between counts too; what was
 * decided before the first look does not.
 */
export function decidedBetween(before: NewestReleases, now: NewestReleases): readonly Ended[] {
  return Object.entries(now).flatMap(([place, release]) => {
    const earlier = before[place]
    const isNew = earlier?.number !== release.number || earlier.state === 'preparing'
    if (!isNew || release.state === 'preparing') return []
    const { app, environment, number, state, reason } = release
    const failed = state === 'failed'
    return [{ kind: 'release' as const, app, environment, number, failed, why: failed ? reason : undefined }]
  })
}

// A deploy changes much at once: one look for all of it, in ms.
const LOOK_AFTER_MS = 500
// How often a release that is being prepared is looked at.
const PREPARING_MS = 2000

/** Looks for deploys that are decided; nothing is asked while nothing changes. */
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
}): { readonly look: () => void } {
  let before: NewestReleases | undefined
  let cancel: (() => void) | undefined
  signal.addEventListener('abort', () => cancel?.(), { once: true })

  async function look(): Promise<void> {
    cancel = undefined
    if (signal.aborted) return
    const now = await newestReleases(client, signal).catch(() => undefined)
    if (now === undefined || signal.aborted) return
    if (before !== undefined) for (const ended of decidedBetween(before, now)) onEnded(ended)
    before = now
    if (Object.values(now).some(({ state }) => state === 'preparing')) plan(PREPARING_MS)
  }

  function plan(ms: number): void {
    cancel ??= after(ms, () => void look())
  }

  return { look: () => plan(LOOK_AFTER_MS) }
}

async function newestReleases(client: ServiceClient, signal: AbortSignal): Promise<NewestReleases> {
  const { apps } = await client.call('appList', { signal })
  const places = apps.flatMap(({ environments }) => environments)
  const found = await Promise.all(
    places.map(async ({ app, name }) => {
      const path = { app, environment: name }
      const [newest] = (await client.call('releaseList', { path, signal })).releases
      return newest === undefined ? [] : [[`${app}/${name}`, newest] as const]
    }),
  )
  return Object.fromEntries(found.flat())
}
