import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { ModelFolder } from '../../../contract/models.ts'
import { type JsonObject, writeJson } from '../../../lib/json/value.ts'
import { foldersOf, pathProblem, presentDirectory } from '../../models/rules/layout.ts'

const READ_BYTES = 1024 * 1024

export type HashedFile = { readonly sizeBytes: number; readonly sha256: string }

export async function hashFile(
  path: string,
  report: (bytes: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<HashedFile> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES, signal })) {
    hash.update(piece)
    sizeBytes += piece.length
    report(sizeBytes)
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** The same for each form of the text, and for a picture that holds the graph. */
export const graphHash = (raw: JsonObject): string => createHash('sha256').update(writeJson(raw)).digest('hex')

export type FoundModel = { readonly path: string; readonly directory: string }

export async function findModel(
  folders: readonly ModelFolder[],
  directory: string | undefined,
  name: string,
): Promise<FoundModel | undefined> {
  if (pathProblem(name) !== undefined) return undefined
  for (const folder of folders)
    for (const one of directory === undefined ? await directoriesOf(folder) : [directory])
      for (const within of foldersOf(folder, one)) {
        const path = join(folder.path, within, name)
        const found = await stat(path).catch(() => undefined)
        if (found?.isFile()) return { path, directory: presentDirectory(one) }
      }
  return undefined
}

async function directoriesOf({ path, directories }: ModelFolder): Promise<readonly string[]> {
  if (directories !== undefined) return Object.keys(directories)
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isFile() || entry.name.startsWith('.') ? [] : [entry.name])).sort()
}

export async function findInput(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const [path, within] = await Promise.all([realpath(resolve(folder, name)), realpath(folder)]).catch(() => [])
    if (path === undefined || within === undefined) continue
    if (path.startsWith(within.endsWith(sep) ? within : within + sep) && (await stat(path)).isFile()) return path
  }
  return undefined
}
