/**
 * Model files in user folders shared with other programs. Downloads get their name only when complete and durable;
 * paths are resolved part by part, so no link leads outside.
 */
import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import type { ModelFolder } from '../../../contract/models.ts'
import { unlessMissing } from '../../../database/stored-bytes.ts'
import { writeAll } from '../../../database/write-files.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { MIB } from '../../../lib/units.ts'
import { foldersOf } from '../rules/layout.ts'
import { TargetError } from '../rules/target-error.ts'
import { createModelScanner, inspectModel, type ReadHead } from './scan-models.ts'

export type ModelTarget = { readonly folder: ModelFolder; readonly directory: string; readonly name: string }

const READ_BYTES = MIB
const EVERYBODY_READS = 0o644

/** Model files. Not to be used inside a Writer's work. */
export type ModelFiles = ReturnType<typeof openModelFiles>

export function openModelFiles(dataFolder: string | undefined) {
  const scanner = createModelScanner()
  let temporary: string | undefined

  async function configFolder(): Promise<string> {
    if (dataFolder === undefined) {
      temporary ??= await mkdtemp(join(tmpdir(), 'drydock-models-'))
      return temporary
    }
    const folder = join(dataFolder, 'model-folders')
    await mkdir(folder, { recursive: true, mode: 0o755 })
    return folder
  }

  return {
    scan: scanner.scan,
    async makeFolder(path: string) {
      await mkdir(path, { mode: 0o755 }).catch((error) => {
        if (!['EEXIST', 'ENOENT'].includes(errorCode(error))) throw error
      })
    },
    async present(folders: readonly ModelFolder[]) {
      const found = await Promise.all(folders.map(({ path }) => stat(path).catch(() => undefined)))
      return folders.filter((_folder, at) => found[at]?.isDirectory())
    },
    /** SHA-256 of the file at an absolute path, lower-case hex; undefined if unreadable. */
    async sha256(path: string) {
      const hash = createHash('sha256')
      try {
        for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) hash.update(chunk)
        return hash.digest('hex')
      } catch {
        return undefined
      }
    },
    exists: async (target: ModelTarget) => (await findFile(target)) !== undefined,
    /** @throws TargetError when the folder cannot be written, or a link in it leads elsewhere */
    openPart: async (target: ModelTarget, id: string) => openPart(await makeDirectory(target), target, id),
    async removePart(target: ModelTarget, id: string) {
      for (const directory of directoriesOf(target)) await rm(join(directory, partName(target, id)), { force: true })
    },
    async remove(target: ModelTarget) {
      const path = await findFile(target)
      if (path === undefined) return false
      const root = await realpath(target.folder.path)
      if (!isWithin(await realpath(dirname(path)), root)) throw leadsOut(dirname(path))
      await unlink(path).catch(asTargetError(path))
      return true
    },
    async writeConfig(name: string, text: string) {
      const path = join(await configFolder(), name)
      await writeWhole(path, text)
      return path
    },
    readText: (path: string) => unlessMissing(readFile(path, 'utf8')),
    async writeText(path: string, text: string) {
      await mkdir(dirname(path), { recursive: true, mode: 0o755 })
      await writeWhole(path, text)
    },
    async close() {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    },
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`
  await using file = await open(fresh, 'w', EVERYBODY_READS)
  await file.writeFile(text)
  await file.sync()
  await rename(fresh, path)
}

const partName = ({ name }: ModelTarget, id: string) => `.${basename(name)}.${id}.part`

const directoriesOf = ({ folder, directory, name }: ModelTarget): readonly string[] =>
  foldersOf(folder, directory).map((one) => dirname(join(folder.path, one, name)))

async function findFile(target: ModelTarget): Promise<string | undefined> {
  for (const directory of directoriesOf(target)) {
    const path = join(directory, basename(target.name))
    const found = await lstat(path).catch(() => undefined)
    if (found !== undefined && !found.isDirectory()) return path
  }
  return undefined
}

const isWithin = (path: string, root: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

const leadsOut = (path: string) =>
  new TargetError(`${path} is a link that leads out of its model folder. Add the folder it leads to as a model folder`)

const asTargetError = (path: string) => (error: unknown) => {
  throw new TargetError(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
}

async function makeDirectory({ folder, directory, name }: ModelTarget): Promise<string> {
  const root = await realpath(folder.path).catch(asTargetError(folder.path))
  const within = await directoryFor(folder, directory)
  let path = root
  for (const part of [...within.split('/'), ...name.split('/').slice(0, -1)]) {
    path = join(path, part)
    await mkdir(path, { mode: 0o755 }).catch((error) => {
      if (errorCode(error) !== 'EEXIST') asTargetError(path)(error)
    })
    const real = await realpath(path).catch(asTargetError(path))
    if (!isWithin(real, root)) throw leadsOut(path)
    path = real
  }
  return path
}

async function directoryFor(folder: ModelFolder, directory: string): Promise<string> {
  const all = foldersOf(folder, directory)
  for (const one of all) if ((await lstat(join(folder.path, one)).catch(() => undefined)) !== undefined) return one
  const [first] = all
  if (first === undefined) throw new TargetError(`${folder.path} has no mapping for ${directory} in its settings`)
  return first
}

/** Hidden while it is written, so that no list shows it. */
export type ModelPart = Awaited<ReturnType<typeof openPart>>

async function openPart(directory: string, target: ModelTarget, id: string) {
  const path = join(directory, partName(target, id))
  const final = join(directory, basename(target.name))
  // The service created it; a link of the same name is foreign and not followed.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW
  const file = await open(path, flags, EVERYBODY_READS).catch(asTargetError(path))
  let hash = createHash('sha256')
  let bytes = 0
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await file.close()
  }
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      hash.update(chunk)
      bytes += chunk.length
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    bytes: () => bytes,
    async write(chunk: Uint8Array) {
      await writeAll(file, chunk, bytes)
      hash.update(chunk)
      bytes += chunk.length
    },
    async empty() {
      await file.truncate(0)
      hash = createHash('sha256')
      bytes = 0
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(directory)
      return bavail * bsize
    },
    sha256: () => hash.copy().digest('hex'),
    inspect: (readHead: ReadHead) => inspectModel({ path, name: target.name, bytes }, readHead),
    /** Makes it durable and gives it its name. @throws TargetError when the name is taken */
    async finish() {
      await file.sync()
      await close()
      await giveName(path, final)
      await using folder = await open(directory)
      await folder.sync()
    },
    /** Closes it; it stays for the next try. Safe to call twice. */
    close,
  }
}

// A hard link takes only a free name; file systems without links are checked first.
async function giveName(path: string, final: string): Promise<void> {
  const taken = () => new TargetError(`the file ${final} already exists. It was not replaced`)
  try {
    await link(path, final)
    await unlink(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') throw taken()
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    if ((await lstat(final).catch(() => undefined)) !== undefined) throw taken()
    await rename(path, final)
  }
}
