import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FOLDER } from '../../features/apps/rules/left-out.ts'
import { leadsOut, type TreeEntry } from '../../features/machines/rules/file-tree.ts'
import {
  createSentRule,
  type FolderKind,
  IGNORE_FILE,
  VIRTUAL_ENVIRONMENT,
} from '../../features/machines/rules/sent-files.ts'
import { errorCode } from '../../lib/error-code.ts'
import { MIB } from '../../lib/units.ts'

export type FolderContent = {
  readonly entries: readonly TreeEntry[]
  readonly files: ReadonlyMap<string, string>
  /** Links that lead out of the folder, which are not sent. */
  readonly leftOut: readonly string[]
  /** Entries with credentials, which are not sent; folders end with a slash. */
  readonly withheld: readonly string[]
}

export type HashCache = ReturnType<typeof createHashCache>

const AT_ONCE = 32
const WHOLE_BYTES = MIB
// Minimum age of cached files, ms: two writes in a clock tick have equal times. Source: 2 s of FAT, the coarsest file
// system.
const SETTLED_MS = 2000
// Source: ours; about 40 MB, five apps with 40,000 files each.
const MAX_HASHES = 200_000

/**
 * Hash cache keyed by file identity, not path, as builds of an app share files. Creation (or change) time detects a
 * reused inode, which may match in size and time after unpacking.
 */
export function createHashCache() {
  const known = new Map<string, string>()
  return {
    /** @param now wall clock ms, from before the file was checked */
    async hash(path: string, facts: BigIntStats, now: number): Promise<string> {
      const made = facts.birthtimeNs > 0n ? facts.birthtimeNs : facts.ctimeNs
      const key = `${facts.dev} ${facts.ino} ${made} ${facts.size} ${facts.mtimeNs}`
      const before = known.get(key)
      known.delete(key)
      const sha256 = before ?? (await hashFile(path, Number(facts.size)))
      if (before !== undefined || now - Number(facts.mtimeMs) > SETTLED_MS) known.set(key, sha256)
      if (known.size > MAX_HASHES) known.delete(known.keys().next().value ?? '')
      return sha256
    },
  }
}

async function hashFile(path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  if (size <= WHOLE_BYTES) hash.update(await readFile(path))
  else for await (const piece of createReadStream(path, { highWaterMark: WHOLE_BYTES })) hash.update(piece)
  return hash.digest('hex')
}

function ifThere(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error
}

/**
 * Silently skips sockets, pipes and devices.
 * @throws Error with a sentence for the user if a file is unreadable
 */
export async function readFolder(
  { path: folder, kind, only }: { readonly path: string; readonly kind: FolderKind; readonly only?: string },
  { hash }: HashCache,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<FolderContent> {
  const root = await realpath(folder)
  const entries: TreeEntry[] = []
  const files = new Map<string, string>()
  const leftOut: string[] = []
  const withheld: string[] = []
  const decide = createSentRule(kind, kind === 'project' ? await ignoreFileOf(root) : '')

  async function readEntry(path: string): Promise<void> {
    signal.throwIfAborted()
    const place = join(root, path)
    const lookedAt = now()
    const facts = await lstat(place, { bigint: true }).catch(ifThere)
    if (facts === undefined) return
    if (facts.isSymbolicLink()) {
      const link = await readlink(place)
      if (leadsOut(path, link)) leftOut.push(path)
      else entries.push({ path, link })
    } else if (facts.isFile()) {
      const sha256 = await hash(place, facts, lookedAt)
      files.set(sha256, place)
      const executable = (facts.mode & 0o111n) === 0n ? {} : { executable: true as const }
      entries.push({ path, sha256, size: Number(facts.size), ...executable })
    }
  }

  async function walk(folderPath: string): Promise<void> {
    const found = await readdir(join(root, folderPath), { withFileTypes: true })
    if (kind === 'project' && folderPath !== '' && found.some(({ name }) => name === VIRTUAL_ENVIRONMENT)) return
    if (DATA_FOLDER.every((file) => found.some(({ name }) => name === file))) return
    if (found.length === 0 && folderPath !== '') entries.push({ path: folderPath, folder: true })
    const pathOf = ({ name }: { readonly name: string }) => (folderPath === '' ? name : `${folderPath}/${name}`)
    const sent = found.filter((entry) => {
      const path = entry.isDirectory() ? `${pathOf(entry)}/` : pathOf(entry)
      const decision = decide(path)
      if (decision === 'withheld') withheld.push(path)
      return decision === 'sent'
    })
    for (const entry of sent.filter((one) => one.isDirectory())) await walk(pathOf(entry))
    const others = sent.filter((one) => !one.isDirectory()).map(pathOf)
    for (let from = 0; from < others.length; from += AT_ONCE)
      await Promise.all(others.slice(from, from + AT_ONCE).map((path) => readEntry(path).catch(rethrow(path))))
  }

  const rethrow = (path: string) => (error: unknown) => {
    signal.throwIfAborted()
    throw new Error(`${join(folder, path)} could not be read to be sent: ${(error as Error).message}`, { cause: error })
  }
  await (only === undefined ? walk('') : readEntry(only).catch(rethrow(only)))
  return { entries, files, leftOut, withheld: withheld.toSorted() }
}

// Links are not followed, as in builds: they may be endless.
async function ignoreFileOf(folder: string): Promise<string> {
  const path = join(folder, IGNORE_FILE)
  const facts = await lstat(path).catch(ifThere)
  return facts?.isFile() ? readFile(path, 'utf8') : ''
}
