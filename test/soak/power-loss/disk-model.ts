/**
 * A model of a disk after a power cut, built from a trace. Assumptions:
 *
 * - A write or a change of length may be on the disk from the moment its call began, whole, in part or not at all, in
 *   any order; 512 bytes are written whole or not (what every disk promises, and SQLite assumes no more).
 * - It is surely there once a sync of the same file has ended that began after the call had ended. `fdatasync` is as
 *   good as `fsync`: it brings the length along. Shared memory (-shm) is not on the disk.
 * - A write beyond the end that is lost may leave its length behind, filled with zeros.
 * - A name (made, renamed, removed) is a change of its folder, and surely there once a sync of that folder has ended
 *   that began after the call had ended. A sync of the file itself says nothing of its name, although several file
 *   systems are kinder. A rename is there with both names or not at all. A rename between folders counts with the sync
 *   of the new one.
 * - The data folder itself is there: nobody was told anything before it was made.
 * - A call that a killed process did not end has ended when the next process begins: the kernel was not cut off.
 * - Modes and times of files are not looked at.
 */
import { OPENED, type TraceRecord } from './trace.ts'

/** The smallest piece that a disk writes whole, in bytes. */
export const SECTOR_BYTES = 512

/** A change that may be on the disk or not. */
export type PendingChange = FileChange | NameChange

type FileChange = {
  readonly kind: 'write' | 'length'
  readonly file: DiskFile
  /** write: where it begins; length: the new one. In bytes. */
  readonly at: number
  bytes: Buffer
  /** Numbers of records. */
  readonly begunAt: number
  endedAt: number | undefined
}
type NameChange = {
  readonly kind: 'name'
  readonly names: readonly { readonly folder: Folder; readonly name: string; readonly node: Node | undefined }[]
  /** Whose sync settles it. */
  readonly folder: Folder
  readonly begunAt: number
  endedAt: number | undefined
}

/** The fate of a change: `length` is that of a write alone, and `torn` says which of its sectors were written. */
export type Fate = 'kept' | 'lost' | 'length' | { readonly torn: (sector: number) => boolean }

/** Decides the fate of each change that is not surely on the disk. */
export type Choose = (change: PendingChange) => Fate

/** A file of the disk. `settled` is what is surely there, `version` grows whenever that changes. */
export type DiskFile = {
  readonly kind: 'file'
  readonly id: number
  path: string
  /** The beginning of `room`, which is larger so that a log can grow without a copy each time. */
  settled: Buffer
  room: Buffer
  version: number
  pending: FileChange[]
  syncBegunAt: number
}
type Folder = {
  readonly kind: 'folder'
  path: string
  /** As programs see them. */
  readonly names: Map<string, Node>
  readonly settled: Map<string, Node>
  syncBegunAt: number
}
type Node = DiskFile | Folder

/** The real effect of a sync: `late` brings only the changes before the previous sync to the disk. */
export type SyncTruth = 'done' | 'late' | 'skipped'

/** The disk at one moment of the trace. */
export type Disk = {
  /** Goes on by one record. */
  readonly apply: (record: TraceRecord) => void
  /** How many changes are not surely there. */
  readonly pending: () => number
  /** Folders and files as a cut at this moment leaves them, in the order in which they can be made. */
  readonly afterCut: (choose: Choose) => CutDisk
}

/** The disk after a cut. Paths are below the data folder. */
export type CutDisk = {
  readonly folders: readonly string[]
  readonly files: readonly { readonly path: string; readonly file: DiskFile }[]
}

/** An empty data folder. @param truth of each sync, by the path of its file or folder; all are done without it */
export function createDisk(truth: (path: string, kind: Node['kind']) => SyncTruth = () => 'done'): Disk {
  const root: Folder = newFolder('')
  const inodes = new Map<number, Node>()
  const calls = new Map<bigint, Call>()
  let names: NameChange[] = []
  const withChanges = new Set<DiskFile>()
  let index = 0
  let process = 0n
  let files = 0

  function newFile(path: string): DiskFile {
    files += 1
    const room = Buffer.alloc(0)
    return { kind: 'file', id: files, path, settled: room, room, version: 0, pending: [], syncBegunAt: -1 }
  }

  /** Undefined where the folder of a path is not there: the call will fail. */
  function placeOf(path: string): { readonly folder: Folder; readonly name: string } | undefined {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let folder = root
    for (const part of parts) {
      const next = folder.names.get(part)
      if (next?.kind !== 'folder') return undefined
      folder = next
    }
    return { folder, name }
  }

  function find(path: string): Node | undefined {
    const place = placeOf(path)
    return path === '' ? root : place?.folder.names.get(place.name)
  }

  function changeNames(
    ...changes: readonly { readonly path: string; readonly node: Node | undefined }[]
  ): NameChange | undefined {
    const all = changes.flatMap(({ path, node }) => {
      const place = placeOf(path)
      return place === undefined ? [] : [{ ...place, node }]
    })
    const last = all.at(-1)
    if (last === undefined || all.length < changes.length) return undefined
    const change: NameChange = { kind: 'name', names: all, folder: last.folder, begunAt: index, endedAt: undefined }
    names.push(change)
    return change
  }

  function changeFile(
    kind: FileChange['kind'],
    file: DiskFile,
    at: number,
    bytes: Buffer = Buffer.alloc(0),
  ): FileChange {
    const change: FileChange = { kind, file, at, bytes, begunAt: index, endedAt: undefined }
    file.pending.push(change)
    withChanges.add(file)
    return change
  }

  function open({ path, at, file: inode }: TraceRecord): void {
    const found = find(path)
    if ((at & OPENED.isFolder) !== 0) {
      if (found !== undefined) inodes.set(inode, found)
      return
    }
    if (found?.kind === 'file') {
      if (inodes.get(inode) !== found) inodes.set(inode, found)
      if ((at & OPENED.isEmptied) !== 0) changeFile('length', found, 0).endedAt = index
      return
    }
    const file = newFile(path)
    inodes.set(inode, file)
    const change = changeNames({ path, node: file })
    if (change !== undefined) finishNames(change)
  }

  function finishNames(change: NameChange): void {
    change.endedAt = index
    for (const { folder, name, node } of change.names) {
      if (node === undefined) folder.names.delete(name)
      else {
        folder.names.set(name, node)
        node.path = folder.path === '' ? name : `${folder.path}/${name}`
      }
    }
  }

  /** The call that a record begins; undefined: it is of no interest. */
  function begin({ kind, file: inode, at, bytes, path, other }: TraceRecord): Call | undefined {
    const node = inodes.get(inode)
    switch (kind) {
      case 'write':
        return node?.kind === 'file' ? changeFile('write', node, at, bytes) : undefined
      case 'truncate':
        return node?.kind === 'file' ? changeFile('length', node, at) : undefined
      case 'sync':
        return node && { kind: 'sync', node, begunAt: index }
      case 'rename':
        return beginRename(path, other, inode)
      case 'mkdir':
        if (path === '') return { kind: 'root' }
        return find(path) === undefined ? changeNames({ path, node: newFolder(path) }) : undefined
      case 'unlink':
      case 'rmdir':
        return find(path) && changeNames({ path, node: undefined })
      default:
        return undefined
    }
  }

  // '' is a path outside: what comes from there is a file whose writes were not seen.
  function beginRename(path: string, other: string, inode: number): NameChange | undefined {
    const node = path === '' ? newFile(other) : find(path)
    if (node === undefined) return undefined
    if (path === '') inodes.set(inode, node)
    const from = path === '' ? [] : [{ path, node: undefined }]
    return changeNames(...from, ...(other === '' ? [] : [{ path: other, node }]))
  }

  function end(call: Call, { at: result, file: inode }: TraceRecord): void {
    if (call.kind === 'root') {
      if (result === 0) inodes.set(inode, root)
    } else if (call.kind === 'sync') {
      if (result === 0) settle(call.node, call.begunAt)
    } else if (call.kind === 'name') {
      if (result !== 0) names = names.filter((change) => change !== call)
      else finishNames(call)
      const made = call.names[0]?.node
      if (made?.kind === 'folder' && inode !== 0) inodes.set(inode, made)
    } else if (result < 0) call.file.pending = call.file.pending.filter((change) => change !== call)
    else {
      if (call.kind === 'write') call.bytes = call.bytes.subarray(0, result)
      call.endedAt = index
    }
  }

  function settle(node: Node, begunAt: number): void {
    const what = truth(node.path, node.kind)
    const until = what === 'late' ? node.syncBegunAt : begunAt
    node.syncBegunAt = begunAt
    if (what === 'skipped') return
    const isSettled = ({ endedAt }: PendingChange) => endedAt !== undefined && endedAt < until
    if (node.kind === 'file') {
      const settled = node.pending.filter(isSettled)
      if (settled.length === 0) return
      settleChanges(node, settled)
      node.pending = node.pending.filter((change) => !isSettled(change))
      node.version += 1
      if (node.pending.length === 0) withChanges.delete(node)
      return
    }
    for (const change of names)
      if (change.folder === node && isSettled(change))
        for (const entry of change.names) setName(entry.folder.settled, entry)
    names = names.filter((change) => change.folder !== node || !isSettled(change))
  }

  function endAll(): void {
    for (const call of calls.values()) {
      if (call.kind === 'name') finishNames(call)
      else if (call.kind === 'write' || call.kind === 'length') call.endedAt = index
    }
    calls.clear()
  }

  return {
    apply(record) {
      index += 1
      if (record.id >> 32n !== process) endAll()
      process = record.id >> 32n
      if (record.kind === 'open') return open(record)
      if (record.kind !== 'end') {
        const call = begin(record)
        if (call !== undefined) calls.set(record.id, call)
        return
      }
      const call = calls.get(record.id)
      calls.delete(record.id)
      if (call !== undefined) end(call, record)
    },
    pending: () => names.length + [...withChanges].reduce((sum, { pending }) => sum + pending.length, 0),
    afterCut(choose) {
      const kept = new Map<Folder, Map<string, Node>>()
      const namesOf = (folder: Folder) => kept.get(folder) ?? folder.settled
      for (const change of names) {
        if (choose(change) !== 'kept') continue
        for (const entry of change.names) {
          if (!kept.has(entry.folder)) kept.set(entry.folder, new Map(entry.folder.settled))
          setName(namesOf(entry.folder), entry)
        }
      }
      const disk = { folders: [] as string[], files: [] as { path: string; file: DiskFile }[] }
      const walk = (folder: Folder, prefix: string) => {
        for (const [name, node] of namesOf(folder)) {
          const path = `${prefix}${name}`
          if (node.kind === 'file') disk.files.push({ path, file: node })
          else {
            disk.folders.push(path)
            walk(node, `${path}/`)
          }
        }
      }
      walk(root, '')
      return disk
    },
  }
}

type Call =
  | PendingChange
  | { readonly kind: 'sync'; readonly node: Node; readonly begunAt: number }
  | { readonly kind: 'root' }

function newFolder(path: string): Folder {
  return { kind: 'folder', path, names: new Map(), settled: new Map(), syncBegunAt: -1 }
}

function setName(
  names: Map<string, Node>,
  { name, node }: { readonly name: string; readonly node: Node | undefined },
): void {
  if (node === undefined) names.delete(name)
  else names.set(name, node)
}

/** The bytes of a file after a cut. */
export function bytesOf({ settled, pending }: DiskFile, choose: Choose): Buffer {
  return pending.length === 0 ? settled : contentOf(settled, pending, choose)
}

function settleChanges(file: DiskFile, changes: readonly FileChange[]): void {
  const most = endOf(file.settled.length, changes)
  if (most > file.room.length) {
    file.room = Buffer.alloc(2 * most)
    file.settled.copy(file.room)
  }
  const length = writeChanges(file.room, file.settled.length, changes, () => 'kept')
  file.settled = file.room.subarray(0, length)
}

function contentOf(before: Buffer, changes: readonly FileChange[], choose: Choose): Buffer {
  const content = Buffer.alloc(endOf(before.length, changes))
  before.copy(content)
  return content.subarray(0, writeChanges(content, before.length, changes, choose))
}

const endOf = (length: number, changes: readonly FileChange[]) =>
  changes.reduce((most, { at, bytes }) => Math.max(most, at + bytes.length), length)

/** Writes changes into bytes that are zero beyond their length. @returns the new length */
function writeChanges(content: Buffer, before: number, changes: readonly FileChange[], choose: Choose): number {
  let length = before
  for (const change of changes) {
    const fate = choose(change)
    if (fate === 'lost') continue
    if (change.kind === 'length') {
      content.fill(0, Math.min(change.at, length), length)
      length = change.at
      continue
    }
    length = Math.max(length, change.at + change.bytes.length)
    if (fate === 'kept') change.bytes.copy(content, change.at)
    else if (fate !== 'length') tear(content, change, fate.torn)
  }
  return length
}

function tear(content: Buffer, { at, bytes }: FileChange, isWritten: (sector: number) => boolean): void {
  const first = Math.floor(at / SECTOR_BYTES)
  const last = Math.floor((at + bytes.length - 1) / SECTOR_BYTES)
  for (let sector = first; sector <= last; sector += 1) {
    if (!isWritten(sector)) continue
    const from = Math.max(at, sector * SECTOR_BYTES)
    const to = Math.min(at + bytes.length, (sector + 1) * SECTOR_BYTES)
    bytes.copy(content, from, from - at, to - at)
  }
}
