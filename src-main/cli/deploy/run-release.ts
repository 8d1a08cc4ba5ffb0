/** A release as a command makes it: shown while it gets ready, given up on Ctrl+C, and told how it ended. */
import type { DeployedEndpoint, ReleaseCreate, ReleaseProgress } from '../../contract/app.ts'
import type { AppPlace } from '../../domain/app/app-place.ts'
import { CliError } from '../cli-error.ts'
import type { ServiceClient } from '../client.ts'
import type { Session } from '../session.ts'
import { SIGNAL_EXITS } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'
import { makeRelease } from './make-release.ts'
import { keyFromFile, showDeployed } from './show-deployed.ts'
import { showReleaseSteps } from './show-release-steps.ts'

/**
 * Makes a release and shows how its endpoints get ready. A signal gives it up, a second one ends the command at once.
 * @returns the release, active; the addresses of its endpoints are those under which the caller reaches the service
 * @throws CliError DEPLOY_FAILED when it fails, ABANDONED when it was given up, and what `makeRelease` throws
 */
export async function runRelease(
  { client, output }: Session,
  surroundings: Surroundings,
  place: AppPlace,
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
    output.note('giving the release up ...')
    giveUp.abort()
  })
  try {
    const progress = await makeRelease(client, place, body, {
      onProgress: ({ steps }) => shown.tell(steps),
      giveUp: giveUp.signal,
      pause: surroundings.pause,
    })
    if (progress.release.state === 'failed') throw await failure(client, progress, giveUp.signal.aborted)
    if (giveUp.signal.aborted)
      output.note('The release was active before it could be given up. `drydock rollback` goes back.')
    return { ...progress, endpoints: progress.endpoints.map((endpoint) => reachable(endpoint, client.url)) }
  } finally {
    off()
  }
}

/** Prints how a release ended that is active: its endpoints and a request that can be pasted. */
export function showRelease({ output, service }: Session, { release, steps, endpoints }: ReleaseProgress): void {
  const { app, environment, number } = release
  const isActive = `Release ${number} of ${output.paint('bold', `${app}/${environment}`)} is active`
  const nothing = steps.length > 0 && steps.every(({ action }) => action === 'unchanged')
  output.line()
  output.line(nothing ? `Nothing changed, and nothing was restarted. ${isActive}.` : `${isActive}.`)
  if (endpoints.length > 0) output.line()
  showDeployed(output, endpoints, service.keyFile === undefined ? '$SVC_API_KEY' : keyFromFile(service.keyFile))
}

async function failure(client: ServiceClient, progress: ReleaseProgress, givenUp: boolean): Promise<CliError> {
  const { app, environment, number, reason = 'no reason was given' } = progress.release
  const stays = await whatStays(client, { app, environment })
  if (givenUp) return new CliError('ABANDONED', { why: `Release ${number} was given up. ${stays}` })
  const data = { app, environment, number, why: reason.replace(/\.$/, ''), stays }
  const { message } = new CliError('DEPLOY_FAILED', data)
  return new CliError('DEPLOY_FAILED', data, { body: { error: message, code: 'DEPLOY_FAILED', progress } })
}

async function whatStays(client: ServiceClient, place: AppPlace): Promise<string> {
  const name = `${place.app}/${place.environment}`
  try {
    const { active } = await client.call('environmentRead', { path: place })
    return active === undefined
      ? 'Nothing is deployed.'
      : `Nothing changed: release ${active.number} of ${name} stays active.`
  } catch (error) {
    // Why the release failed says more than why this could not be asked.
    if (error instanceof CliError) return `What ${name} has now: \`drydock env get ${place.environment}\`.`
    throw error
  }
}

/** An endpoint under the address that the caller has of the service, which may be a tunnel to it. */
function reachable({ hostUrl, ...endpoint }: DeployedEndpoint, url: string): DeployedEndpoint {
  const { origin, pathname } = new URL(endpoint.url)
  if (origin === new URL(url).origin) return { ...endpoint, ...(hostUrl === undefined ? {} : { hostUrl }) }
  return { ...endpoint, url: `${url}${pathname}` }
}
