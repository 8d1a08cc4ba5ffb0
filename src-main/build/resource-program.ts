/** Where the folder `resources` of this installation is, and the programs in it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder `resources` of this installation, an absolute path. */
export const RESOURCES: string = fileURLToPath(new URL('../../resources', import.meta.url))

const SOURCE = /\.ts$/

/**
 * A program in `resources`. A clone has its TypeScript source; an installed package has JavaScript in its place, because
 * Node removes no types from files below `node_modules`.
 * @param path its source, relative to `resources`; a file that is not TypeScript stays as it is
 * @returns an absolute path
 */
export function resourceProgram(path: string): string {
  const source = join(RESOURCES, path)
  const built = source.replace(SOURCE, '.js')
  return existsSync(built) ? built : source
}
