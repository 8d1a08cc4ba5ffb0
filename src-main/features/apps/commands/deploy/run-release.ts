import { CliError } from '../../../../app/cli/cli-error.ts'
import { SIGNAL_EXITS } from '../../../../app/cli/interrupt.ts'
import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import {
  type DeployedEndpoint,
  type ReleaseCreate,
  type ReleaseProgress,
  releaseProgress,
} from '../../../../contract/app.ts'
import type { AppTarget } from '../../rules/app-environment.ts'
import { keyFromFile, showDeployed, showReleaseSteps } from './show-release.ts'

/**
 * The first signal cancels the release, a second ends the command.
 * @returns the active release with addresses as seen by the caller
 * @throws CliError DEPLOY_FAILED, ABANDONED, and as `makeRelease`
 */
export async function runRelease(
  { client, output }: Session,
  surroundings: Surroundings,
  target: AppTarget,
  body: Partial<ReleaseCreate> & Pick<ReleaseCreate, 'source'>,
): Promise<ReleaseProgress> {
  const shown = showReleaseSteps(output, surroundings)
  const giveUp = new AbortController()
  const off = surroundings.onStopSignal((signal) => {
    if (giveUp.signal.aborted) {
      surroundings.exitNow(SIGNAL_EXITS[signal])
      return
    }
    shown.leave()
    output.note('cancelling the release ...')
    giveUp.abort()
  })
  try {
    const progress = await makeRelease(client, target, body, {
      onProgress: ({ steps }) => shown.report(steps),
      giveUp: giveUp.signal,
      pause: surroundings.pause,
    })
    if (progress.release.state === 'failed') throw await failure(client, progress, giveUp.signal.aborted)
    if (giveUp.signal.aborted)
      output.note('The release became active before it could be cancelled. `drydock rollback` goes back.')
    return withReachable(progress, client.url)
  } finally {
    off()
  }
}

export async function readRelease(
  { client }: Pick<Session, 'client'>,
  target: AppTarget,
  number: number,
): Promise<ReleaseProgress> {
  return withReachable(await client.call('releaseRead', { path: { ...target, number: String(number) } }), client.url)
}

export function showRelease(
  { output, service }: Session,
  { release, steps, endpoints }: ReleaseProgress,
  isRepeated = false,
): void {
  const { app, environment, number, rollbackOf } = release
  const nothing = steps.length > 0 && steps.every(({ action }) => action === 'unchanged')
  const change = isRepeated
    ? 'Nothing changed, so no release was made. '
    : nothing
      ? 'Nothing changed, and nothing was restarted. '
      : ''
  output.line()
  const code = rollbackOf === undefined ? '' : ` It has the code of release ${rollbackOf}.`
  output.line(`${change}Release ${number} of ${output.paint('bold', `${app}/${environment}`)} is active.${code}`)
  if (endpoints.length > 0) output.line()
  showDeployed(output, endpoints, service.keyFile === undefined ? '$SVC_API_KEY' : keyFromFile(service.keyFile))
}

async function failure(client: ServiceClient, progress: ReleaseProgress, givenUp: boolean): Promise<CliError> {
  const { app, environment, number, reason = 'no reason was given' } = progress.release
  const stays = await whatStays(client, { app, environment })
  if (givenUp) return new CliError('ABANDONED', { why: `Release ${number} was cancelled. ${stays}` })
  const data = { app, environment, number, why: reason.replace(/\.$/, ''), stays }
  const { message } = new CliError('DEPLOY_FAILED', data)
  return new CliError('DEPLOY_FAILED', data, { body: { error: message, code: 'DEPLOY_FAILED', progress } })
}

async function whatStays(client: ServiceClient, target: AppTarget): Promise<string> {
  const name = `${target.app}/${target.environment}`
  try {
    const { active } = await client.call('environmentRead', { path: target })
    return active === undefined
      ? 'Nothing is deployed.'
      : `Nothing changed: release ${active.number} of ${name} stays active.`
  } catch (error) {
    // The reason of the failure matters more than the failure of this request.
    if (error instanceof CliError) return `To see what ${name} has now: \`drydock env show ${target.environment}\`.`
    throw error
  }
}

const withReachable = (progress: ReleaseProgress, url: string): ReleaseProgress => ({
  ...progress,
  endpoints: progress.endpoints.map((endpoint) => reachable(endpoint, url)),
})

/** Uses the caller's address of the service, possibly a tunnel. */
function reachable({ hostUrl, ...endpoint }: DeployedEndpoint, url: string): DeployedEndpoint {
  const { origin, pathname } = new URL(endpoint.url)
  if (origin === new URL(url).origin) return { ...endpoint, ...(hostUrl === undefined ? {} : { hostUrl }) }
  return { ...endpoint, url: `${url}${pathname}` }
}

// Reconnects without news, and first pause in ms, doubled each time: 6.3 s in all. Source: ours, a service restart
// takes less.
const TRIES = 6
const AGAIN_AFTER_MS = 100

type Watch = {
  readonly onProgress: (progress: ReleaseProgress) => void
  readonly giveUp: AbortSignal
  readonly pause: (ms: number) => Promise<void>
}

/**
 * Waits until it is active or failed and removed endpoints are gone.
 * @throws CliError SERVICE_REFUSED if it never starts, NOT_REACHABLE if the service stays away
 */
export async function makeRelease(
  client: ServiceClient,
  target: AppTarget,
  body: Partial<ReleaseCreate> & Pick<ReleaseCreate, 'source'>,
  { onProgress, giveUp, pause }: Watch,
): Promise<ReleaseProgress> {
  let progress = await client.call('releaseCreate', { path: target, body })
  const path = { ...target, number: String(progress.release.number) }
  const cancel = () => {
    // It may be decided at this moment; the stream reports the result.
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
