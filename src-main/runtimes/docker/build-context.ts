/** The build context as a tar archive that is read while it is sent. Source: Docker's documentation of .dockerignore. */
import { createHash } from 'node:crypto'
import { createReadStream, constants as flags, type Stats } from 'node:fs'
import { lstat, open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import dockerIgnore from '@balena/dockerignore'
import { type Header, pack } from 'tar-stream'
import { errorCode } from '../../lib/error-code.ts'

export type ContextSource = {
  readonly folder: string
  readonly dockerfile: string
  /** Files of git are left out, and a Dockerfile outside the folder is refused, because a stranger made the links. */
  readonly isClone?: boolean
  readonly mtime?: Date | undefined
}

export type BuildContext = {
  readonly archive: Readable
  readonly dockerfile: string
  readonly sent: () => { readonly files: number; readonly bytes: number }
}

export async function openBuildContext(source: ContextSource): Promise<BuildContext> {
  const { mtime, isClone = false } = source
  const folder = await realpath(source.folder).catch(() => undefined)
  if (folder === undefined || !(await stat(folder)).isDirectory())
    throw new Error(`there is no folder ${source.folder}`)
  const file = await realpath(source.dockerfile).catch(() => undefined)
  if (file === undefined || !(await stat(file)).isFile()) throw new Error(`there is no Dockerfile ${source.dockerfile}`)
  const within = slashed(relative(folder, file))
  const isInside = !isOutside(within)
  if (!isInside && isClone)
    throw new Error(`the Dockerfile ${source.dockerfile} is a link to a path outside the repository`)
  const dockerfile = isInside ? within : await outsideName(file)
  const rules = await readIgnoreFile(folder, isInside ? join(folder, within) : source.dockerfile, isClone)
  const tar = pack()
  const sent = { files: 0, bytes: 0 }

  async function add({ path, name, found }: Found): Promise<void> {
    const header = { name, mode: modeOf(found), mtime: mtime ?? found.mtime }
    if (found.isDirectory()) return addEntry(tar, { ...header, name: `${name}/`, type: 'directory' })
    if (found.isSymbolicLink())
      return addEntry(tar, { ...header, type: 'symlink', linkname: slashed(await readlink(path)) })
    if (!found.isFile()) return undefined
    await addFile(tar, path, { ...header, type: 'file', size: found.size })
    sent.files += 1
    sent.bytes += found.size
  }

  async function fill(root: string, outside: string | undefined): Promise<void> {
    for await (const entry of contextFiles(root, { rules, dockerfile, isClone })) await add(entry)
    if (outside !== undefined) await add({ path: outside, name: dockerfile, found: await stat(outside) })
    tar.finalize()
  }

  tar.on('error', () => undefined)
  fill(folder, isInside ? undefined : file).catch((error: Error) => tar.destroy(error))
  return { archive: Readable.from(tar, { objectMode: false }), dockerfile, sent: () => ({ ...sent }) }
}

type Wanted = { readonly rules: IgnoreRules; readonly dockerfile: string; readonly isClone: boolean }

async function* contextFiles(root: string, { rules, dockerfile, isClone }: Wanted): AsyncGenerator<Found> {
  const waiting: Found[] = []

  async function* walk(folder: string): AsyncGenerator<Found> {
    for (const each of (await readdir(join(root, folder))).toSorted()) {
      if (isClone && each === '.git') continue
      const name = folder === '' ? each : `${folder}/${each}`
      const path = join(root, name)
      const found = await lstat(path)
      const entry = { path, name, found }
      const isOut = name !== dockerfile && rules.leavesOut(name)
      if (!isOut) {
        yield* waiting.splice(0)
        yield entry
      }
      const mayHoldMore = !isOut || rules.hasExceptions || dockerfile.startsWith(`${name}/`)
      if (!found.isDirectory() || !mayHoldMore) continue
      if (isOut) waiting.push(entry)
      yield* walk(name)
      if (waiting.at(-1) === entry) waiting.pop()
    }
  }

  yield* walk('')
}

type Found = { readonly path: string; readonly name: string; readonly found: Stats }

type Tar = ReturnType<typeof pack>

type EntryHeader = Partial<Header> & Pick<Header, 'name'>

const EMPTY = Buffer.alloc(0)

function addEntry(tar: Tar, header: EntryHeader): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    tar.entry(header, EMPTY, done).on('error', reject)
  })
}

async function addFile(tar: Tar, path: string, header: EntryHeader & { readonly size: number }): Promise<void> {
  if (header.size === 0) return addEntry(tar, header)
  const { promise: written, resolve, reject } = Promise.withResolvers<void>()
  // A link that replaces the file meanwhile is not followed.
  const file = await open(path, flags.O_RDONLY | (flags.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    throw new Error(`${path} cannot be read (${errorCode(error)}). Leave it out with .dockerignore`, { cause: error })
  })
  const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()))
  try {
    await Promise.all([pipeline(createReadStream(path, { fd: file, end: header.size - 1 }), entry), written])
  } catch (error) {
    if (error instanceof Error && error.message === 'Size mismatch')
      throw new Error(`${path} changed while it was sent. Build again`, { cause: error })
    throw error
  }
}

// Windows has no such bits; source: the docker command.
const MODE_ON_WINDOWS = 0o755
const modeOf = ({ mode }: Stats) => (process.platform === 'win32' ? MODE_ON_WINDOWS : mode & 0o7777)

const slashed = (path: string) => (sep === '/' ? path : path.replaceAll(sep, '/'))

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../') || path.startsWith(`..${sep}`) || isAbsolute(path)
}

const HASH_LENGTH = 12

async function outsideName(file: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(file))
  return `.dockerfile-${hash.digest('hex').slice(0, HASH_LENGTH)}`
}

// A file next to the Dockerfile, named after it, replaces that of the folder.
async function readIgnoreFile(folder: string, dockerfile: string, isClone: boolean): Promise<IgnoreRules> {
  for (const path of [`${dockerfile}.dockerignore`, join(folder, '.dockerignore')]) {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined) continue
    if (isClone && isOutside(relative(folder, real)))
      throw new Error(`${path} is a link to a path outside the repository`)
    const text = await readFile(real, 'utf8').catch((error: unknown) => {
      throw new Error(`${path} cannot be read (${errorCode(error)})`, { cause: error })
    })
    if (isClone) refuseSlowPatterns(text)
    return createIgnore(text)
  }
  return createIgnore('')
}

// Each star multiplies the time of a comparison by the length of the path. Source: ours, about a second at worst.
const STARS_MAX = { part: 3, pattern: 4 }

function refuseSlowPatterns(text: string): void {
  const starsIn = (pattern: string) => pattern.match(/\*+/g)?.length ?? 0
  const slow = text
    .split(/\r?\n/)
    .find((line) => starsIn(line) > STARS_MAX.pattern || line.split('/').some((part) => starsIn(part) > STARS_MAX.part))
  if (slow !== undefined)
    throw new Error(`the pattern "${slow.slice(0, 100)}" of .dockerignore has too many stars for a foreign repository`)
}

// The library takes these for signs of regular expressions, Docker for themselves.
const PLAIN_SIGNS = /\\.|\[[^\]]*\]|[+(){}|]/g

type IgnoreRules = ReturnType<typeof createIgnore>

export function createIgnore(text: string) {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const rules = dockerIgnore.default({ ignorecase: false })
  for (const line of lines) {
    rules.add(line.replace(PLAIN_SIGNS, (sign) => (sign.length === 1 ? `[${sign}]` : sign)))
    try {
      rules.ignores(line)
    } catch (error) {
      throw new Error(`the pattern "${line}" of .dockerignore is not valid`, { cause: error })
    }
  }
  return {
    leavesOut: (path: string): boolean => rules.ignores(path),
    hasExceptions: lines.some((line) => line.trimStart().startsWith('!')),
  }
}
