import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnvFile } from '../domain/env-file.ts'
import { errorCode } from '../domain/error-code.ts'

/** What the nearest `.env` file says, from a folder upward; nothing where there is none or it cannot be read. */
export async function readEnvFile(folder: string): Promise<Readonly<Record<string, string>>> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return parseEnvFile(await readFile(join(at, '.env'), 'utf8'))
    } catch (error) {
      // A folder of this name is no file, and the search goes on; a file that cannot be read ends it, as in Python.
      if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error))) return {}
    }
    if (dirname(at) === at) return {}
  }
}
