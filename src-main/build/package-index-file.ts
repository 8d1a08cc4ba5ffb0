import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limit } from '../contract/limits.ts'
import { sizeInWords } from '../domain/size-in-words.ts'
import type { PackagesByClass } from '../domain/workflow/packages/node-package.ts'
import { readPackageIndex } from '../domain/workflow/packages/package-index.ts'
import type { WorkflowPorts } from '../services/ports/workflows.ts'

/** Name of the index of packages of nodes in the data folder; the user puts it there. Source: ours. */
export const PACKAGE_INDEX_FILE = 'node-packages.json'

/**
 * Reads the index of packages of nodes.
 * @param folder the data folder
 * @returns nothing where the user has put none there
 * @throws Error that says why it cannot be read, for a person
 */
export async function readPackageIndexFile(folder: string): Promise<PackagesByClass> {
  const most = limit('nodePackagesBytes')
  try {
    await using file = await open(join(folder, PACKAGE_INDEX_FILE))
    const { size } = await file.stat()
    if (size > most) throw new Error(`it has ${sizeInWords(size)}, and ${sizeInWords(most)} are read`)
    return readPackageIndex(await file.readFile('utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map()
    throw error
  }
}

/** The index of a data folder, as the core takes it. @param folder is asked each time, as it is known after the start */
export function packageIndexOf(folder: () => string): WorkflowPorts['packageIndex'] {
  return {
    read: () => readPackageIndexFile(folder()),
    changedAt: () =>
      stat(join(folder(), PACKAGE_INDEX_FILE)).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
  }
}
