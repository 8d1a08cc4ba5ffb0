/** What previews leave that were killed: folders in `previews` of the user's data folder, workers, containers, networks. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readServiceFile } from './data-folder.ts'

/** See sweep-data.ts. */
export type SweepData = (folder: string) => Promise<'swept' | 'in use' | 'empty'>

// A folder in which no service has begun is of a preview that starts in this moment, or of one that was killed before.
const ABANDONED_MS = 60_000

/**
 * Removes what killed previews left: workers, containers, networks and folders. Previews that run are left alone.
 * @param data the user's data folder
 * @param now ms since the epoch
 * @returns folders that could not be swept, with the reason; they are tried again by the next preview
 */
export async function sweepPreviews(
  data: string,
  sweepData: SweepData,
  now: number,
): Promise<readonly { readonly folder: string; readonly why: string }[]> {
  const failed: { folder: string; why: string }[] = []
  for (const folder of await previewFolders(data)) {
    try {
      const age = now - (await stat(folder)).mtimeMs
      const left = await sweepData(folder)
      if (left === 'swept' || (left === 'empty' && age > ABANDONED_MS))
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      // Another preview that starts in this moment was quicker.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      failed.push({ folder, why: (error as Error).message })
    }
  }
  return failed
}

/** The folders of previews whose service does not live. Looks only. @param now ms since the epoch */
export async function leftPreviews(data: string, now: number): Promise<readonly string[]> {
  const folders = await previewFolders(data)
  const left = await Promise.all(
    folders.map(async (folder) => {
      const service = readServiceFile(join(folder, 'service.json'))
      if (service !== undefined) return !lives(service.pid)
      const age = await stat(folder).then(
        ({ mtimeMs }) => now - mtimeMs,
        () => 0, // it has just been removed
      )
      return age > ABANDONED_MS
    }),
  )
  return folders.filter((_folder, at) => left[at])
}

async function previewFolders(data: string): Promise<readonly string[]> {
  const previews = join(data, 'previews')
  const names = await readdir(previews).catch(() => [])
  return names.map((name) => join(previews, name))
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // of another user
  }
}
