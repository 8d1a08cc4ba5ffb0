import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { ServiceClient } from '../../client/service-client.ts'
import type { RunResult } from '../../contract/workflows.ts'
import { errorCode } from '../../domain/error-code.ts'
import { nameVariants } from '../../domain/workflow-runs/find-results.ts'
import { CliError, unwritable } from '../cli-error.ts'
import type { Surroundings } from '../surroundings.ts'

/** A result that was written to a file. */
export type SavedResult = RunResult & { readonly file: string }

/**
 * Writes results into a folder, made if missing. A file that is there stays: the new one gets a number.
 * @throws CliError RESULTS_MISSING, FILE_UNWRITABLE
 */
export async function saveResults(
  client: Pick<ServiceClient, 'bytes'>,
  {
    jobId,
    results,
    folder,
  }: { readonly jobId: string; readonly results: readonly RunResult[]; readonly folder: string },
): Promise<readonly SavedResult[]> {
  const saved: SavedResult[] = []
  for (const result of results) {
    const bytes = await client.bytes('assetRead', { path: { asset: result.asset } }).catch((error: Error) => {
      throw new CliError('RESULTS_MISSING', { jobId, why: error.message.replace(/\.$/, '') }, { cause: error })
    })
    saved.push({ ...result, file: await writeNew(folder, visible(result.filename), bytes) })
  }
  return saved
}

// Its worker named it: in a folder of somebody's work `.npmrc` would be no picture.
const visible = (filename: string): string => basename(filename).replace(/^\.+/, '_')

/** Writes a new file into a folder, made if missing. @returns its path @throws CliError FILE_UNWRITABLE */
export async function writeNew(folder: string, wanted: string, bytes: Uint8Array): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    for (const name of nameVariants(wanted)) {
      const path = join(folder, name)
      if (await isWritten(path, bytes)) return path
    }
  } catch (error) {
    throw unwritable(join(folder, wanted), error)
  }
  return join(folder, wanted)
}

/** Writes a new file; false where there is one already. */
async function isWritten(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, bytes, { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Writes a file that somebody named. @throws CliError FILE_UNWRITABLE */
export async function writeText(file: string, text: string, { cwd }: Pick<Surroundings, 'cwd'>): Promise<void> {
  const path = resolve(cwd, file)
  try {
    await writeFile(path, text)
  } catch (error) {
    throw unwritable(path, error)
  }
}
