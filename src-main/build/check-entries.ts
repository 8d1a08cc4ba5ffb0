/**
 * What an artifact may hold: files and folders, each with one plain path below the root. Links and devices are refused
 * whole, not looked at: builds make none, and without them no path can lead out by what was unpacked before it.
 */
import type { Header } from 'tar-stream'
import { MIB } from '../contract/units.ts'

/** Ends the unpacking of an archive; the message completes "The artifact cannot be unpacked: ". */
export class RefusedArchive extends Error {}

/** Where an entry goes. `newFolders` are to be made first, in this order; all paths are relative. */
export type CheckedEntry = {
  readonly path: string
  readonly kind: 'file' | 'folder'
  readonly newFolders: readonly string[]
}

/** The most that an archive may hold. */
export type ArchiveLimits = {
  readonly bytes: number
  /** Files and folders. */
  readonly files: number
}

// Names of common file systems have at most 255 bytes.
const NAME_BYTES = 255
// Linux takes paths of 4096 bytes; the rest is for the folder that all is unpacked into. Ours.
const PATH_BYTES = 2048
// Five times the deepest package seen. Ours.
const DEPTH = 100
// All paths are held in memory to find twins: 500,000 paths of usual length have 35 MiB. Ours.
const ALL_PATHS_BYTES = 128 * MIB
const SHOWN_CHARACTERS = 120

/** What is no file and no folder. Without `type` it is one that the reader does not know. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  link: 'is a hard link',
  symlink: 'is a symbolic link',
  'character-device': 'is a device',
  'block-device': 'is a device',
  fifo: 'is a named pipe',
}

/** Rules of a whole path, the first that holds counts. */
const REFUSED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'has no name'],
  [/\p{Cc}/u, 'has a control character in its path'],
  // What a text becomes that is no UTF-8: two names could become the same.
  [/\uFFFD/, 'has a path that is not text'],
  [/^\//, 'has an absolute path'],
  [/\\/, 'has a backslash in its path'],
  [/^[A-Za-z]:/, 'has a path with a drive'],
  [/(^|\/)\.\.(\/|$)/, 'has a path that leads to another folder'],
  [/(^|\/)\.?(\/|$)/, 'has a path with an empty part'],
]

type Known = { readonly path: string; readonly kind: CheckedEntry['kind']; readonly isListed: boolean }

/**
 * Makes the check of one archive: it gets all headers in order. The answer is undefined for the root itself.
 * @throws RefusedArchive
 */
export function createEntryCheck(limits: ArchiveLimits): (header: Header) => CheckedEntry | undefined {
  const known = new Map<string, Known>()
  let bytes = 0
  let pathBytes = 0
  let lastParent = ''

  /** Notes a path. @returns whether it is new */
  function note(path: string, kind: Known['kind'], isListed: boolean): boolean {
    const key = foldCase(path)
    const before = known.get(key)
    if (before === undefined) {
      pathBytes += path.length
      if (known.size >= limits.files) throw new RefusedArchive(`it has more than ${limits.files} files and folders`)
      if (pathBytes > ALL_PATHS_BYTES) throw new RefusedArchive('its paths are too long')
      known.set(key, { path, kind, isListed })
      return true
    }
    if (before.path !== path) refuse(path, `differs from ${shown(before.path)} by case or form of its letters alone`)
    if (isListed && before.isListed) refuse(path, 'is there twice')
    if (before.kind !== kind) refuse(path, 'is a file and a folder')
    if (isListed) known.set(key, { ...before, isListed })
    return false
  }

  function noteParents(parts: readonly string[]): string[] {
    const parent = parts.slice(0, -1).join('/')
    if (parent === lastParent) return []
    const folders = parts.slice(0, -1).map((_part, at) => parts.slice(0, at + 1).join('/'))
    const made = folders.filter((folder) => note(folder, 'folder', false))
    lastParent = parent
    return made
  }

  return (header) => {
    const kind = kindOf(header)
    bytes += header.size
    if (bytes > limits.bytes) throw new RefusedArchive(tooLarge(limits))
    const path = pathOf(header, kind)
    if (path === undefined) return undefined
    const newFolders = noteParents(path.split('/'))
    if (note(path, kind, true) && kind === 'folder') newFolders.push(path)
    return { path, kind, newFolders }
  }
}

/** Why an archive is refused that becomes larger than its limit. */
export function tooLarge({ bytes }: ArchiveLimits): string {
  return `it becomes larger than ${bytes} bytes`
}

function kindOf({ name, type, size, pax }: Header): CheckedEntry['kind'] {
  if (type !== 'file' && type !== 'directory') refuse(name, REFUSED_TYPES[type] ?? 'is of a kind that is not known')
  // A sparse file of the newer form looks like an ordinary one, but its bytes are a map with pieces.
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) refuse(name, 'is a sparse file')
  // The reader would take the bytes for the next header.
  if (type === 'directory' && size > 0) refuse(name, 'is a folder with bytes')
  return type === 'file' ? 'file' : 'folder'
}

/** The path as it is used; undefined for the root, which `tar -C folder .` lists. */
function pathOf({ name }: Header, kind: CheckedEntry['kind']): string | undefined {
  const path = (kind === 'folder' ? name.replace(/\/$/, '') : name).replace(/^\.\//, '')
  if (kind === 'folder' && (path === '.' || (path === '' && name === './'))) return undefined
  for (const [pattern, why] of REFUSED_PATHS) if (pattern.test(path)) refuse(name, why)
  const parts = path.split('/')
  if (parts.length > DEPTH) refuse(name, `is more than ${DEPTH} folders deep`)
  if (Buffer.byteLength(path) > PATH_BYTES) refuse(name, `has a path of more than ${PATH_BYTES} bytes`)
  if (parts.some((part) => Buffer.byteLength(part) > NAME_BYTES)) refuse(name, `has a name over ${NAME_BYTES} bytes`)
  return path
}

// Upper case first: it makes one of letters that have one lower form each, like the Kelvin sign and K.
function foldCase(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

function refuse(name: string, why: string): never {
  throw new RefusedArchive(`${shown(name)} ${why}`)
}

/** A name for a message: whatever could move the cursor of a terminal, or hide, is a question mark. */
function shown(name: string): string {
  return `"${name.slice(0, SHOWN_CHARACTERS).replace(/\p{C}/gu, '?')}"`
}
