import { open, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isHandlerFile } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { FolderList } from '../../contract/projects.ts'
import { isLeftAlone } from '../../features/apps/rules/left-out.ts'
import { errorCode } from '../../lib/error-code.ts'

// More than a person reads; some files are opened in each folder.
const LISTED = 500
// Limits for detecting an app: files per folder, files in all, and bytes of each.
const FILES_OF_ONE = 20
const FILES_OF_ALL = 2000
const BYTES = 8 * 1024
const AT_ONCE = 16
const INNER = ['src', 'app', 'workers', 'endpoints']
const NAMES_HANDLER =
  /^(?:async[ \t]+)?def[ \t]+\w*handler\w*[ \t]*\(|\bserverless\.start[ \t]*\(|^export[ \t]+(?:default\b|(?:async[ \t]+)?(?:function\*?|const)[ \t]+handler\b)/m
const IMPORTS_APPS =
  /^[ \t]*(?:(?:from|import)[ \t]+(?:svc|runpod_flash)\b|from[ \t]+runpod[ \t]+import\b.*\bApp\b)|\brunpod\.App\(/m

/**
 * Omits hidden and unreadable folders.
 * @param withFiles also lists possible handler files
 * @throws AppError FOLDER_UNREADABLE
 */
export async function listFolders(path = homedir(), withFiles = false): Promise<FolderList> {
  const folder = await realFolder(path)
  const entries = await reading(folder, () => readdir(folder, { withFileTypes: true }))
  const named = entries.filter(({ name }) => !name.startsWith('.')).filter((entry) => !entry.isFile())
  const paths = named.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en'))
  const budget = { files: FILES_OF_ALL }
  const folders: { name: string; path: string; isApp: boolean }[] = []
  for (let from = 0; from < paths.length && folders.length <= LISTED; from += AT_ONCE) {
    const group = paths.slice(from, from + AT_ONCE).map((name) => measure(name, join(folder, name), budget))
    folders.push(...(await Promise.all(group)).flatMap((found) => found ?? []))
  }
  const files = withFiles
    ? await handlerFiles(
        folder,
        entries.map(({ name }) => name),
      )
    : undefined
  const parent = dirname(folder)
  return {
    path: folder,
    ...(parent === folder ? {} : { parent }),
    folders: folders.slice(0, LISTED),
    ...(files === undefined ? {} : { files: files.slice(0, LISTED) }),
    capped: folders.length > LISTED || (files?.length ?? 0) > LISTED,
  }
}

export async function realFolder(path: string): Promise<string> {
  const wanted = wholePath(path)
  return reading(wanted, async () => {
    const real = await realpath(wanted)
    await readdir(real)
    return real
  })
}

export async function isWithin(path: string, folders: readonly string[]): Promise<boolean> {
  const real = (one: string) => realFolder(one).catch(() => undefined)
  const [wanted, ...roots] = await Promise.all([path, ...folders].map(real))
  if (wanted === undefined) return false
  return roots.some((root) => {
    const way = root === undefined ? '..' : relative(root, wanted)
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  })
}

export function wholePath(path: string): string {
  const wanted = /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path
  if (!isAbsolute(wanted)) throw new AppError('FOLDER_UNREADABLE', { folder: path, why: 'give its whole path' })
  return resolve(wanted)
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

async function handlerFiles(folder: string, names: readonly string[]): Promise<NonNullable<FolderList['files']>> {
  const wanted = names
    .filter((name) => !name.startsWith('.') && isHandlerFile(name))
    .sort((a, b) => a.localeCompare(b, 'en'))
    .slice(0, LISTED + 1)
  const found: NonNullable<FolderList['files']> = []
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const group = wanted.slice(from, from + AT_ONCE).map(async (name) => {
      const path = join(folder, name)
      return (await isFile(path)) ? [{ name, path, isHandler: NAMES_HANDLER.test(await beginningOf(path)) }] : []
    })
    found.push(...(await Promise.all(group)).flat())
  }
  return found
}

export async function reading<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = WHY[errorCode(error)] ?? (error instanceof Error ? error.message : String(error))
    throw new AppError('FOLDER_UNREADABLE', { folder, why }, { cause: error })
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is not a folder',
  EACCES: 'the user of the service may not open it',
  EPERM: 'the user of the service may not open it',
  EEXIST: 'files came into it in this moment',
  ENOSPC: 'the disk is full',
  EROFS: 'it cannot be written',
  ENAMETOOLONG: 'its path is too long',
}

async function measure(name: string, path: string, budget: { files: number }) {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return undefined
  const isPython = (file: string) => file.endsWith('.py') && !isLeftAlone(file)
  const inner = entries.filter((entry) => entry.isDirectory() && INNER.includes(entry.name))
  const below = await Promise.all(
    inner.map(async (entry) =>
      (await readdir(join(path, entry.name)).catch(() => [])).map((file) => join(entry.name, file)),
    ),
  )
  const files = [...entries.map((entry) => entry.name), ...below.flat()].filter(isPython).slice(0, FILES_OF_ONE)
  for (const file of files) {
    if (budget.files <= 0) break
    budget.files -= 1
    if (IMPORTS_APPS.test(await beginningOf(join(path, file)))) return { name, path, isApp: true }
  }
  return { name, path, isApp: false }
}

async function beginningOf(path: string): Promise<string> {
  try {
    // Opening a pipe or a device could block for ever.
    if (!(await stat(path)).isFile()) return ''
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  }
}
