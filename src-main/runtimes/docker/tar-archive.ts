import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'

/** The engine unpacks it in a container; a folder has no content. */
export type ArchiveEntry = { readonly path: string; readonly mode: number; readonly content?: Buffer }

export function tarArchive(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const tar = pack()
  for (const { path, mode, content } of entries) {
    const header = { name: path, mode, mtime: new Date(0) }
    if (content === undefined) tar.entry({ ...header, type: 'directory' })
    else tar.entry(header, content)
  }
  tar.finalize()
  return buffer(tar)
}
