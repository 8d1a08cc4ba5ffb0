import { type ReleaseCreate, type ReleaseProgress, releaseProgress } from '../../contract/app.ts'
import type { AppPlace } from '../../domain/app/app-place.ts'
import { CliError } from '../cli-error.ts'
import type { ServiceClient } from '../client.ts'

// How often a stream that broke off is asked for again without news, and the pause before the first time, in ms, doubled
// each time: 0.1 + 0.2 + ... + 3.2 = 6.3 s in all; source: ours, a restart of the service takes less.
const TRIES = 6
const AGAIN_AFTER_MS = 100

/** How a release is watched. */
export type Watch = {
  readonly onProgress: (progress: ReleaseProgress) => void
  /** Aborted: the release is given up, and fails unless it is active by then. */
  readonly giveUp: AbortSignal
  /** Settles after so many ms. */
  readonly pause: (ms: number) => Promise<void>
}

/**
 * Makes a release and waits until it is active or has failed, and endpoints that go are gone.
 * @throws CliError SERVICE_REFUSED where it is not even begun, NOT_REACHABLE when the service is gone for long
 */
export async function makeRelease(
  client: ServiceClient,
  place: AppPlace,
  body: Partial<ReleaseCreate> & Pick<ReleaseCreate, 'source'>,
  { onProgress, giveUp, pause }: Watch,
): Promise<ReleaseProgress> {
  let progress = await client.call('releaseCreate', { path: place, body })
  const path = { ...place, number: String(progress.release.number) }
  const cancel = () => {
    // It may be decided in this very moment; what became of it is told by the stream.
    client.call('releaseCancel', { path }).catch(() => undefined)
  }
  giveUp.addEventListener('abort', cancel, { once: true })
  if (giveUp.aborted) cancel()
  onProgress(progress)
  try {
    for (let failures = 0; ; failures++) {
      try {
        for await (const { event, data } of client.follow('releaseRead', { path, query: { follow: 'true' } })) {
          if (event !== 'release') continue
          progress = releaseProgress.parse(JSON.parse(data))
          failures = 0
          onProgress(progress)
        }
        // A service that stops ends its streams too.
        if (progress.release.state !== 'preparing') return progress
      } catch (error) {
        if (!(error instanceof CliError && error.code === 'NOT_REACHABLE') || failures >= TRIES) throw error
      }
      await pause(AGAIN_AFTER_MS * 2 ** Math.min(failures, TRIES))
    }
  } finally {
    giveUp.removeEventListener('abort', cancel)
  }
}
