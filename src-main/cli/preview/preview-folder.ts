/** The data folders of previews: each has one of its own beside the user's data, which goes when the preview ends. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of one preview, and the name of its environment, which holds the same random part. */
export type PreviewFolder = { readonly folder: string; readonly environment: string }

// A folder in which no service has begun is of a preview that starts in this moment, or of one that was killed before.
const ABANDONED_MS = 60_000
const NAME_LENGTH = 40

/** Makes the folder of a new preview. @param data the user's data folder */
export async function makePreviewFolder(data: string, app: string): Promise<PreviewFolder> {
  const previews = join(data, 'previews')
  await mkdir(previews, { recursive: true, mode: 0o700 })
  const name = app.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, NAME_LENGTH)
  const folder = await mkdtemp(join(previews, `${name}-`))
  return { folder, environment: `preview-${folder.slice(folder.lastIndexOf('-') + 1)}` }
}

/**
 * Removes what killed previews left: workers, containers, networks and folders. Previews that run are left alone.
 * @param sweepData see server/sweep-data.ts
 * @param now ms since the epoch
 * @returns folders that could not be swept, with the reason; they are tried again by the next preview
 */
export async function sweepPreviews(
  data: string,
  sweepData: (folder: string) => Promise<'swept' | 'in use' | 'empty'>,
  now: number,
): Promise<readonly { readonly folder: string; readonly why: string }[]> {
  const previews = join(data, 'previews')
  const names = await readdir(previews).catch(() => [])
  const failed: { folder: string; why: string }[] = []
  for (const name of names) {
    const folder = join(previews, name)
    try {
      const age = now - (await stat(folder)).mtimeMs
      const left = await sweepData(folder)
      if (left === 'swept' || (left === 'empty' && age > ABANDONED_MS)) await removeFolder(folder)
    } catch (error) {
      // Another preview that starts in this moment was quicker.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      failed.push({ folder, why: (error as Error).message })
    }
  }
  return failed
}

/** Removes the folder of a preview that has ended. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
