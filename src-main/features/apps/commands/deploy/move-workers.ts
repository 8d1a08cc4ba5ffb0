import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import { THIS_MACHINE } from '../../../../contract/machines.ts'
import { present } from '../../../../lib/json/plain.ts'
import { existingTarget } from './app-target.ts'
import { runRelease, showRelease } from './run-release.ts'

/**
 * Releases the active artifact again so that workers move, unless nothing changed.
 * @throws CliError as `existingTarget` and `runRelease` do
 */
export async function moveWorkers(
  session: Session,
  surroundings: Surroundings,
  env: string | undefined,
  { on, app, later }: { readonly on: string; readonly app?: string; readonly later?: true },
): Promise<void> {
  const { client, output } = session
  const named = { ...present({ env, app }) }
  const path = await existingTarget(client, named, surroundings)
  const before = await client.call('environmentRead', { path })
  const after = await client.call('environmentUpdate', { path, body: { machine: on } })
  const isSame = (before.machine ?? THIS_MACHINE) === (after.machine ?? THIS_MACHINE)
  const moves = after.active !== undefined && later !== true
  if (!output.json) {
    const said = `workers of ${path.app}/${path.environment} ${isSame ? 'run' : 'now run'} on ${on}`
    const when = moves ? '' : `; they move with the ${after.active === undefined ? 'first' : 'next'} release`
    output.line(`${said}${when}`)
  }
  const progress = moves ? await runRelease(session, surroundings, path, { source: { active: true } }) : undefined
  if (output.json) output.document({ environment: after, ...progress })
  else if (progress !== undefined) showRelease(session, progress)
}
