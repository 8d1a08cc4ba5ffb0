import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { variableName } from '../../contract/app.ts'
import type { AppPlace } from '../../domain/app/app-place.ts'
import type { ServiceClient } from '../client.ts'
import { parseEnvFile } from '../env-file.ts'

const ENV_FILE = '.env'

/** Names that a preview got from `.env`, and those that it did not, as the service sets them or they are no names. */
export type TakenVariables = { readonly names: readonly string[]; readonly leftOut: readonly string[] }

/** The variables of a preview. */
export type PreviewVariables = {
  /**
   * Takes over what `.env` of the project says now.
   * @param onChange hears which names there are, where something changed
   * @returns their version: it grows with each change
   */
  readonly update: (onChange: (taken: TakenVariables) => void) => Promise<number>
}

/** Makes them. @param place app and environment on the service */
export function previewVariables(project: string, client: ServiceClient, place: AppPlace): PreviewVariables {
  let version = 0
  let before: Readonly<Record<string, string>> = {}
  return {
    async update(onChange) {
      const found = Object.entries(parseEnvFile(await readIfThere(join(project, ENV_FILE))))
      const good = found.filter(([name]) => variableName.safeParse(name).success)
      const values = Object.fromEntries(good)
      const set = Object.fromEntries(good.filter(([name, value]) => before[name] !== value))
      const remove = Object.keys(before).filter((name) => values[name] === undefined)
      if (Object.keys(set).length === 0 && remove.length === 0) return version
      await client.call('variablesUpdate', { path: place, body: { set, remove } })
      before = values
      version += 1
      const leftOut = found.flatMap(([name]) => (values[name] === undefined ? [name] : []))
      onChange({ names: Object.keys(values), leftOut })
      return version
    },
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
