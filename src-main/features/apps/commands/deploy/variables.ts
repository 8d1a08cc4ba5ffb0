import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readSecret } from '../../../../app/cli/ask.ts'
import { usageError } from '../../../../app/cli/cli-error.ts'
import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import { type VariablesUpdate, variableName } from '../../../../contract/app.ts'
import { parseEnvFile } from '../../../../lib/env-file.ts'
import { counted } from '../../../../lib/text.ts'
import { existingTarget, type TargetOptions } from './app-target.ts'
import { runRelease, showRelease } from './run-release.ts'

export type VariableValues = { readonly set: Readonly<Record<string, string>>; readonly leftOut: readonly string[] }

export function checkedVariable(name: string): string {
  const { success, error } = variableName.safeParse(name)
  if (success) return name
  throw usageError(`"${name}" cannot be set: ${error.issues[0]?.message}.`)
}

export async function variableValues(
  given: readonly string[],
  fromFile: string | undefined,
  surroundings: Surroundings,
): Promise<VariableValues> {
  const bare = given.filter((text) => !text.includes('='))
  if (given.length === 0 && fromFile === undefined)
    throw usageError('Give a variable to set: NAME=VALUE, NAME with its value on standard input, or --from-file .env')
  if (bare.length > 1)
    throw usageError(
      `Only one value can be read, and ${bare.join(', ')} have none. Set them one by one, or with --from-file.`,
    )
  const pairs = given.filter((text) => text.includes('=')).map(splitPair)
  for (const name of [...bare, ...pairs.map(([each]) => each)]) checkedVariable(name)
  const file = fromFile === undefined ? NOTHING : await readVariables(fromFile, surroundings)
  const asked = await Promise.all(bare.map(async (name) => [name, await readValue(name, surroundings)] as const))
  return { set: { ...file.set, ...Object.fromEntries([...pairs, ...asked]) }, leftOut: file.leftOut }
}

const NOTHING: VariableValues = { set: {}, leftOut: [] }

function splitPair(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

function readValue(name: string, surroundings: Surroundings): Promise<string> {
  return readSecret({ name: 'value', question: `${name}:`, nothing: 'Nothing was stored.' }, surroundings)
}

// The service sets these itself; they are often in the same file as an address and a key for scripts.
const OF_THE_SERVICE = /^(?:SVC|RUNPOD)_/

async function readVariables(path: string, { cwd }: Pick<Surroundings, 'cwd'>): Promise<VariableValues> {
  const text = await readFile(resolve(cwd, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${path} cannot be read (${error.code}). Give a file with lines like NAME=value.`)
  })
  const entries = Object.entries(parseEnvFile(text))
  const leftOut = entries.flatMap(([name]) => (OF_THE_SERVICE.test(name) ? [name] : []))
  const taken = entries.filter(([name]) => !leftOut.includes(name))
  if (taken.length === 0) throw usageError(`${path} has no variables for workers. Give lines like NAME=value.`)
  return { set: Object.fromEntries(taken.map(([name, value]) => [checkedVariable(name), value])), leftOut }
}

export type VariableOptions = TargetOptions & { readonly later?: true }

/**
 * Releases again so that workers get changes, if any.
 * @param changes values go to the service and are never printed
 * @throws CliError as `existingPlace` and `runRelease` do
 */
export async function changeVariables(
  session: Session,
  surroundings: Surroundings,
  changes: Partial<VariablesUpdate>,
  { later, ...options }: VariableOptions,
): Promise<void> {
  const { client, output } = session
  const target = await existingTarget(client, options, surroundings)
  const { variables, changed, unreleased } = await client.call('variablesUpdate', { path: target, body: changes })
  const { active } = await client.call('environmentRead', { path: target })
  const releases = active !== undefined && later !== true && (changed || unreleased)
  const names = [...Object.keys(changes.set ?? {}), ...(changes.remove ?? [])]
  if (!output.json && !changed && !releases)
    output.line(`nothing changed: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} up to date`)
  else if (!output.json) {
    const what = `${changes.set === undefined ? 'removed' : 'stored'} ${names.join(', ')}`
    const count = `${target.app}/${target.environment} has ${counted(variables.length, 'variable')}`
    const when = releases ? 'workers get them now' : `workers get them with the ${active ? 'next' : 'first'} release`
    output.line(`${what}: ${count}, ${when}`)
  }
  const progress = releases ? await runRelease(session, surroundings, target, { source: { active: true } }) : undefined
  if (output.json) output.document({ variables, changed, ...progress })
  else if (progress !== undefined) showRelease(session, progress)
}
