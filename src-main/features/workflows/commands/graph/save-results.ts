import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { CliError, unwritable } from '../../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { RunResult } from '../../../../contract/workflows.ts'
import { errorCode } from '../../../../lib/error-code.ts'
import { nameVariants } from '../../rules/runs/find-results.ts'

export type SavedResult = RunResult & { readonly file: string }

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

// The worker chose the name: a file like `.npmrc` must not end up in the user's folder.
const visible = (filename: string): string => basename(filename).replace(/^\.+/, '_')

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

async function isWritten(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, bytes, { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

export async function writeText(file: string, text: string, { cwd }: Pick<Surroundings, 'cwd'>): Promise<void> {
  const path = resolve(cwd, file)
  try {
    await writeFile(path, text)
  } catch (error) {
    throw unwritable(path, error)
  }
}
