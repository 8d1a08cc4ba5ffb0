import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { MANIFEST_FILE } from '../contract/manifest.ts'
import type { ReadManifest } from '../services/ports/apps.ts'

/** Reads the manifest of a folder. */
export const readManifest: ReadManifest = async (folder) => {
  // One that depends on where the service was started is nobody's wish.
  if (!isAbsolute(folder)) return undefined
  try {
    return await readFile(join(folder, MANIFEST_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))) return undefined
    throw error
  }
}
