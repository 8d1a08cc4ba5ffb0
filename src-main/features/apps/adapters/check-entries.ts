/**
 * Artifacts contain only files and folders with plain relative paths. Links and devices are refused, so that no entry
 * can lead outside.
 */
import type { Header } from 'tar-stream'
import { MIB } from '../../../lib/units.ts'

/** The message completes "The artifact cannot be unpacked: ". */
export class RefusedArchive extends Error {}

export type CheckedEntry = {
  readonly path: string
  readonly kind: 'file' | 'folder'
  readonly newFolders: readonly string[]
}

export type ArchiveLimits = {
  readonly bytes: number
  readonly files: number
}

// Bytes. Common file systems allow names of 255 bytes.
const NAME_BYTES = 255
// Linux allows paths of 4096 bytes; the rest is for the target folder. Ours.
const PATH_BYTES = 2048
// Five times the deepest package seen. Source: ours.
const DEPTH = 100
// Ten times as many as an entry with access lists and a security label has. Source: ours.
const FIELDS = 100
// All paths are held in memory to find duplicates: 500,000 usual paths take 35 MiB. Ours.
const ALL_PATHS_BYTES = 64 * MIB
const SHOWN_CHARACTERS = 120

const REFUSED_TYPES: Readonly<Record<string, string>> = {
  link: 'is a hard link',
  symlink: 'is a symbolic link',
  'character-device': 'is a device',
  'block-device': 'is a device',
  fifo: 'is a named pipe',
}

const REFUSED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'has no name'],
  [/\p{Cc}/u, 'has a control character in its path'],
  // Invalid UTF-8 decodes to this character, so two names could become equal.
  [/\uFFFD/, 'has a path that is not text'],
  [/^\//, 'has an absolute path'],
  [/\\/, 'has a backslash in its path'],
  [/^[A-Za-z]:/, 'has a path with a drive'],
  [/(^|\/)\.\.(\/|$)/, 'has a path that leads to another folder'],
  [/(^|\/)\.?(\/|$)/, 'has a path with an empty part'],
]

type Known = { readonly path: string; readonly kind: CheckedEntry['kind']; readonly isListed: boolean }

export function createEntryCheck(limits: ArchiveLimits): (header: Header) => CheckedEntry | undefined {
  const known = new Map<string, Known>()
  let bytes = 0
  let pathBytes = 0
  let lastParent = ''

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

export function tooLarge({ bytes }: ArchiveLimits): string {
  return `it becomes larger than ${bytes} bytes`
}

function kindOf({ name, type, size, pax }: Header): CheckedEntry['kind'] {
  if (type !== 'file' && type !== 'directory') refuse(name, REFUSED_TYPES[type] ?? 'is of a kind that is not known')
  // A newer sparse file looks ordinary, but its bytes are a map with pieces.
  const fields = Object.keys(pax ?? {})
  if (fields.length > FIELDS) refuse(name, `has more than ${FIELDS} header fields`)
  if (fields.some((key) => key.startsWith('GNU.sparse'))) refuse(name, 'is a sparse file')
  // The reader would take the bytes for the next header.
  if (type === 'directory' && size > 0) refuse(name, 'is a folder with bytes')
  return type === 'file' ? 'file' : 'folder'
}

/** The path to use; undefined for the root, which `tar -C folder .` lists. */
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

// Upper case first, because it merges letters that share a lower form, like the Kelvin sign and K.
function foldCase(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

function refuse(name: string, why: string): never {
  throw new RefusedArchive(`${shown(name)} ${why}`)
}

/** A name for a message: control and invisible characters become question marks. */
function shown(name: string): string {
  return `"${name.slice(0, SHOWN_CHARACTERS).replace(/\p{C}/gu, '?')}"`
}
