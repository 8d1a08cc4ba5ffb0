import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { extract, type Pack, pack, type Extract as TarExtract } from 'tar-stream'
import type { PackContext } from '../ports/image-build.ts'
import { type ContextSource, IMAGE_EPOCH } from '../rules/dockerfile.ts'
import { hashFolder, LEFT_OUT } from './git-source.ts'
import { absentFolder, fetchCommit, GIT_OPTIONS, gitEnvironment, isAddress } from './run-git.ts'

type Places = {
  readonly lockFolder: string
  readonly modelFile: (name: string) => string
  readonly env: Readonly<Record<string, string | undefined>>
}

type Copy = Places & { readonly tar: Pack; readonly signal: AbortSignal }

// Of every file, so that the archive depends on contents alone.
const OWNER = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(IMAGE_EPOCH * 1000) }

export function createContextPacker(places: Places): PackContext {
  return ({ dockerfile, files }, sources, signal) => {
    const tar = pack()
    const copy = { ...places, tar, signal }
    async function write(): Promise<void> {
      await addText(tar, 'Dockerfile', dockerfile)
      const folders = new Set(files.flatMap(({ path }) => foldersOf(path)))
      for (const folder of [...folders].toSorted()) await addFolder(tar, folder)
      for (const { path, text } of files) await addText(tar, path, text)
      for (const source of sources) await addSource(copy, source)
      tar.finalize()
    }
    write().catch((error: Error) => tar.destroy(error))
    return Readable.from(tar)
  }
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'))
}

function addText(tar: Pack, name: string, text: string): Promise<void> {
  return addEntry(tar, { name, mode: 0o644 }, Buffer.from(text))
}

const addFolder = (tar: Pack, name: string) => addEntry(tar, { name, mode: 0o755, type: 'directory' })

type EntryHeader = Parameters<Pack['entry']>[0]

function addEntry(tar: Pack, header: EntryHeader, content = Buffer.alloc(0)): Promise<void> {
  return new Promise((done, fail) =>
    tar.entry({ ...header, ...OWNER, size: content.length }, content, (error) => (error ? fail(error) : done())),
  )
}

async function addSource(copy: Copy, source: ContextSource): Promise<void> {
  copy.signal.throwIfAborted()
  if ('folder' in source) return addTree(copy, source.folder, source.path)
  if ('nodes' in source) return addTree(copy, await allowedFolder(copy, source), source.path)
  if ('model' in source) return addModel(copy, source)
  return addCommit(copy, source)
}

type NodesFolder = Extract<ContextSource, { nodes: string }>

/** A lock of a stranger could name any folder of this machine, but not the hash of its content. */
async function allowedFolder({ lockFolder, signal }: Copy, { nodes, sha256 }: NodesFolder): Promise<string> {
  const folder = await realpath(resolve(lockFolder, nodes)).catch(() => undefined)
  if (folder === undefined) throw new Error(`${nodes} cannot be read: ${absentFolder(nodes)}.`)
  if (isWithin(await realpath(lockFolder), folder)) return folder
  if ((await hashFolder(folder, signal)) === sha256) return folder
  throw new Error(
    `${nodes} is outside the folder of the lock, and its content is not what was locked. Lock it again: drydock workflow lock FILE --update.`,
  )
}

function isWithin(folder: string, path: string): boolean {
  const from = relative(folder, path)
  return !isAbsolute(from) && from.split(/[\\/]/)[0] !== '..'
}

async function addTree(copy: Copy, folder: string, name: string): Promise<void> {
  copy.signal.throwIfAborted()
  await addFolder(copy.tar, name)
  for (const entry of (await readdir(folder)).toSorted()) {
    if (LEFT_OUT.has(entry)) continue
    const path = join(folder, entry)
    const inTar = `${name}/${entry}`
    const facts = await lstat(path)
    if (facts.isDirectory()) await addTree(copy, path, inTar)
    else if (facts.isSymbolicLink())
      await addEntry(copy.tar, { name: inTar, type: 'symlink', linkname: await readlink(path) })
    else if (facts.isFile()) await addFile(copy, path, { name: inTar, mode: modeOf(facts.mode), size: facts.size })
  }
}

// Of the bits only whether it can be run, as git keeps it.
const modeOf = (mode = 0) => ((mode & 0o100) === 0 ? 0o644 : 0o755)

type FileHeader = { readonly name: string; readonly mode: number; readonly size: number }

async function addFile({ tar, signal }: Copy, path: string, header: FileHeader): Promise<string> {
  const hash = createHash('sha256')
  const content = createReadStream(path)
  content.on('data', (chunk) => hash.update(chunk))
  await pipeline(content, tar.entry({ ...header, ...OWNER }), { signal })
  return hash.digest('hex')
}

type OwnModel = Extract<ContextSource, { model: string }>

async function addModel(copy: Copy, { path, model, sha256 }: OwnModel): Promise<void> {
  const file = copy.modelFile(model)
  const { size } = await stat(file)
  const found = await addFile(copy, file, { name: path, mode: 0o644, size })
  if (sha256 !== undefined && found !== sha256)
    throw new Error(`${file} is another file than the lock names: its SHA-256 is ${found}, and not ${sha256}.`)
}

type Commit = Extract<ContextSource, { repository: string }>

async function addCommit(copy: Copy, { path, repository, commit }: Commit): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'drydock-source-'))
  try {
    const from = localFolder(repository, copy.lockFolder) ?? repository
    await fetchCommit(temporary, { repository: from, commit }, copy).catch((error: Error) => {
      throw new Error(`${repository} cannot be read: ${error.message}.`, { cause: error })
    })
    await addArchive(copy, { from: temporary, commit, path, repository })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function localFolder(repository: string, lockFolder: string): string | undefined {
  if (repository.startsWith('file:')) return fileURLToPath(repository)
  return isAddress(repository) ? undefined : resolve(lockFolder, repository)
}

type Archive = { readonly from: string; readonly commit: string; readonly path: string; readonly repository: string }

async function addArchive(copy: Copy, { from, commit, path, repository }: Archive): Promise<void> {
  const { tar, env, signal } = copy
  const child = spawn('git', [...GIT_OPTIONS, '-C', from, 'archive', '--format=tar', commit], {
    env: gitEnvironment({ env }),
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await addFolder(tar, path)
  const entries = extract()
  const [[exitCode]] = await Promise.all([
    once(child, 'close'),
    pipeline(child.stdout, entries, { signal }),
    addEntries(tar, entries, path),
  ])
  if (exitCode !== 0) throw new Error(`${repository} at ${commit} cannot be read: git archive ended with ${exitCode}.`)
}

async function addEntries(tar: Pack, entries: TarExtract, path: string): Promise<void> {
  for await (const entry of entries) {
    const { name, type, linkname, size = 0, mode } = entry.header
    const header = { name: `${path}/${name.replace(/\/$/, '')}`, type, linkname }
    if (type === 'file') await pipeline(entry, tar.entry({ ...header, mode: modeOf(mode), size, ...OWNER }))
    else {
      if (type === 'directory') await addFolder(tar, header.name)
      else if (type === 'symlink') await addEntry(tar, header)
      entry.resume()
    }
  }
}

export async function unpackContext(archive: Readable, folder: string): Promise<void> {
  const entries = extract()
  await Promise.all([pipeline(archive, entries), writeEntries(entries, folder)])
}

async function writeEntries(entries: TarExtract, folder: string): Promise<void> {
  for await (const entry of entries) {
    const { name, type, linkname, mode } = entry.header
    const path = join(folder, name)
    if (type === 'directory') await mkdir(path, { recursive: true })
    else {
      await mkdir(dirname(path), { recursive: true })
      if (type === 'symlink') await symlink(linkname ?? '', path)
      else await pipeline(entry, createWriteStream(path, { mode }))
    }
    entry.resume()
  }
}
