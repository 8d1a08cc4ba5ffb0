/** Like ComfyUI it follows links, each folder once; a file is reread only after a change. */
import type { Dirent } from 'node:fs'
import { open, readdir, realpath, stat, statfs } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { limit } from '../../../contract/limits.ts'
import type { ModelFacts, ModelFolder, ModelView } from '../../../contract/models.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { foldersOf, MODEL_FILE, presentDirectory } from '../rules/layout.ts'
import { GGUF_START_BYTES, headLength, LENGTH_BYTES, readGguf } from '../rules/model-heads.ts'
import { factsOfHead, formatOf } from '../rules/recognise-model.ts'

type ModelFile = Omit<ModelView, 'folder' | 'sha256' | keyof ModelFacts> & {
  readonly path: string
  readonly facts: ModelFacts
}

export type ReadHead = (json: string, dataBytes: number) => Promise<ModelFacts>

export type ScannedFolder = {
  readonly folder: ModelFolder
  readonly files: readonly ModelFile[]
  readonly more: boolean
  readonly freeBytes: number | undefined
  readonly fault: string | undefined
}

// Headers read in parallel. Source: ours; there are four file system threads.
const AT_ONCE = 8
const DEPTH_MAX = 8

type Found = Omit<ModelFile, 'facts'>

export function createModelScanner() {
  let known = new Map<string, ModelFile>()

  async function withFacts(found: Found, readHead: ReadHead): Promise<ModelFile> {
    const before = known.get(found.path)
    const isSame = before !== undefined && before.bytes === found.bytes && before.changedAt === found.changedAt
    const facts = isSame ? before.facts : await inspectModel(found, readHead)
    return { ...found, facts }
  }

  return {
    async scan(folders: readonly ModelFolder[], readHead: ReadHead): Promise<readonly ScannedFolder[]> {
      const scanned: ScannedFolder[] = []
      for (const folder of folders) {
        const { found, more, fault } = await walkFolder(folder)
        const files: ModelFile[] = []
        for (let at = 0; at < found.length; at += AT_ONCE)
          files.push(...(await Promise.all(found.slice(at, at + AT_ONCE).map((file) => withFacts(file, readHead)))))
        scanned.push({ folder, files, more, fault, freeBytes: await freeBytes(folder.path) })
      }
      known = new Map(scanned.flatMap(({ files }) => files).map((file) => [file.path, file]))
      return scanned
    },
  }
}

async function freeBytes(path: string): Promise<number | undefined> {
  const space = await statfs(path).catch(() => undefined)
  return space && space.bavail * space.bsize
}

async function walkFolder(
  folder: ModelFolder,
): Promise<{ readonly found: readonly Found[]; readonly more: boolean; readonly fault: string | undefined }> {
  const most = limit('modelsListed')
  const found = new Map<string, Found>()
  const visited = new Set<string>()
  let more = false

  async function walk(directory: string, path: string, within: string, isOutside: boolean): Promise<void> {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined || visited.has(real) || within.split('/').length > DEPTH_MAX) return
    visited.add(real)
    const entries = await readdir(path, { withFileTypes: true }).catch((): Dirent[] => [])
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue
      const child = join(path, entry.name)
      const name = within === '' ? entry.name : `${within}/${entry.name}`
      const leadsOut = isOutside || (entry.isSymbolicLink() && !(await staysWithin(child)))
      const target = entry.isSymbolicLink() ? await stat(child).catch(() => undefined) : entry
      if (target?.isDirectory()) await walk(directory, child, name, leadsOut)
      else if (target?.isFile() && MODEL_FILE.test(name)) await take(directory, child, name, leadsOut)
    }
  }

  async function take(directory: string, path: string, name: string, isOutside: boolean): Promise<void> {
    if (found.size >= most) {
      more = true
      return
    }
    const facts = await stat(path).catch(() => undefined)
    if (facts === undefined) return
    found.set(path, { path, directory, name, bytes: facts.size, changedAt: Math.round(facts.mtimeMs), isOutside })
  }

  let root: string
  const staysWithin = async (path: string) =>
    (await realpath(path).catch(() => '')).startsWith(root.endsWith(sep) ? root : root + sep)
  try {
    root = await realpath(folder.path)
    for (const [directory, path] of await directoriesIn(folder, root))
      await walk(directory, path, '', !(await staysWithin(path)))
    return { found: [...found.values()], more, fault: undefined }
  } catch (error) {
    return { found: [], more: false, fault: problemOf(error) }
  }
}

function problemOf(error: unknown): string {
  const code = errorCode(error)
  if (code === 'ENOENT') return 'there is no such folder'
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it'
  return code === 'ENOTDIR' ? 'it is not a folder' : (error as Error).message
}

async function directoriesIn(folder: ModelFolder, root: string): Promise<readonly (readonly [string, string])[]> {
  if (folder.directories !== undefined) {
    const names = [...new Set(Object.keys(folder.directories).map(presentDirectory))]
    return names.flatMap((name) => foldersOf(folder, name).map((one) => [name, join(folder.path, one)] as const))
  }
  const entries = await readdir(root, { withFileTypes: true })
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
    .map(({ name }) => [presentDirectory(name), join(folder.path, name)] as const)
}

export async function inspectModel(
  { path, name, bytes }: Pick<Found, 'path' | 'name' | 'bytes'>,
  readHead: ReadHead,
): Promise<ModelFacts> {
  try {
    await using file = await open(path)
    const read = async (length: number, position: number) => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    }
    const start = await read(Math.min(bytes, GGUF_START_BYTES), 0)
    const format = formatOf(start, name)
    if (format === 'gguf') return readGguf(start, (text) => new TextDecoder().decode(text))
    if (format !== 'safetensors') return { format }
    const length = headLength(start, bytes)
    if (typeof length !== 'number') return { format, ...length }
    const json = textOf(await read(length, LENGTH_BYTES))
    const dataBytes = bytes - LENGTH_BYTES - length
    return json === undefined ? factsOfHead(json, dataBytes) : await readHead(json, dataBytes)
  } catch (error) {
    return { format: 'unknown', fault: `it cannot be read: ${(error as Error).message}` }
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
