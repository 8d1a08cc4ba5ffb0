/** The data folders of previews: each has one of its own beside the user's data, which goes when the preview ends. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of one preview, and the name of its environment, which holds the same random part. */
export type PreviewFolder = { readonly folder: string; readonly environment: string }

const NAME_LENGTH = 40

/** Makes the folder of a new preview. @param data the user's data folder */
export async function makePreviewFolder(data: string, app: string): Promise<PreviewFolder> {
  const previews = join(data, 'previews')
  await mkdir(previews, { recursive: true, mode: 0o700 })
  const name = app.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, NAME_LENGTH)
  const folder = await mkdtemp(join(previews, `${name}-`))
  return { folder, environment: `preview-${folder.slice(folder.lastIndexOf('-') + 1)}` }
}

/** Removes the folder of a preview that has ended. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
