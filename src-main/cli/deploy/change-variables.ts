import type { VariablesUpdate } from '../../contract/app.ts'
import { counted } from '../format.ts'
import type { Session } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'
import { existingPlace, type PlaceOptions } from './app-place.ts'
import { runRelease, showRelease } from './run-release.ts'

/** Options of commands that change variables. */
export type VariableOptions = PlaceOptions & { readonly later?: true }

/**
 * Changes variables of an environment, and makes a release of the active one so that its workers get them; none where
 * they have them already.
 * @param changes `set` and `remove`; values go to the service and are printed nowhere
 * @throws CliError as `existingPlace` and `runRelease` do
 */
export async function changeVariables(
  session: Session,
  surroundings: Surroundings,
  changes: Partial<VariablesUpdate>,
  { later, ...options }: VariableOptions,
): Promise<void> {
  const { client, output } = session
  const place = await existingPlace(client, options, surroundings)
  const { variables, changed, unreleased } = await client.call('variablesUpdate', { path: place, body: changes })
  const { active } = await client.call('environmentRead', { path: place })
  // What was stored with --later, say, is set again and released now.
  const releases = active !== undefined && later !== true && (changed || unreleased)
  const names = [...Object.keys(changes.set ?? {}), ...(changes.remove ?? [])]
  if (!output.json && !changed && !releases)
    output.line(`nothing changed: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} so already`)
  else if (!output.json) {
    const what = `${changes.set === undefined ? 'removed' : 'stored'} ${names.join(', ')}`
    const count = `${place.app}/${place.environment} has ${counted(variables.length, 'variable')}`
    const when = releases ? 'workers get them now' : `workers get them with the ${active ? 'next' : 'first'} release`
    output.line(`${what}: ${count}, ${when}`)
  }
  const progress = releases ? await runRelease(session, surroundings, place, { source: { active: true } }) : undefined
  if (output.json) output.document({ variables, changed, ...progress })
  else if (progress !== undefined) showRelease(session, progress)
}
