/**
 * Databases need reliable locks and syncs, which network and shared file systems lack. Source: SQLite, "How To Corrupt
 * An SQLite Database File", 2.1; Linux, include/uapi/linux/magic.h, and kernel modules.
 */
import { execFile } from 'node:child_process'
import { realpath, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DoctorRow } from '../../../contract/system.ts'

/** `local` is reliable, `network` is not, `unsure` depends on the program behind it. */
type Kind = 'local' | 'network' | 'unsure'

export type FileSystem = { readonly name: string; readonly kind: Kind }

export type FolderFacts = {
  readonly platform: NodeJS.Platform
  readonly path: string
  readonly type?: number | undefined
  readonly mounts?: string | undefined
}

export type Look = {
  readonly platform: NodeJS.Platform
  readonly realPath: (path: string) => Promise<string | undefined>
  readonly type: (path: string) => Promise<number | undefined>
  readonly mounts: () => Promise<string | undefined>
}

const WSL = '9p (a Windows drive under WSL, or a folder shared by a virtual machine)'

const LINUX: ReadonlyMap<number, FileSystem> = new Map([
  [0xef53, { name: 'ext4', kind: 'local' }],
  [0x58465342, { name: 'xfs', kind: 'local' }],
  [0x9123683e, { name: 'btrfs', kind: 'local' }],
  [0x2fc12fc1, { name: 'zfs', kind: 'local' }],
  [0xf2f52010, { name: 'f2fs', kind: 'local' }],
  [0xca451a4e, { name: 'bcachefs', kind: 'local' }],
  [0x794c7630, { name: 'overlay', kind: 'local' }],
  [0x01021994, { name: 'tmpfs', kind: 'local' }],
  [0x6969, { name: 'NFS', kind: 'network' }],
  [0x517b, { name: 'SMB', kind: 'network' }],
  [0xff534d42, { name: 'SMB (cifs)', kind: 'network' }],
  [0xfe534d42, { name: 'SMB (smb3)', kind: 'network' }],
  [0x01021997, { name: WSL, kind: 'network' }],
  [0x5346414f, { name: 'AFS', kind: 'network' }],
  [0x6b414653, { name: 'AFS', kind: 'network' }],
  [0x73757245, { name: 'Coda', kind: 'network' }],
  [0x564c, { name: 'NetWare', kind: 'network' }],
  [0x00c36400, { name: 'Ceph', kind: 'network' }],
  [0x0bd00bd0, { name: 'Lustre', kind: 'network' }],
  [0x47504653, { name: 'GPFS', kind: 'network' }],
  [0x19830326, { name: 'BeeGFS', kind: 'network' }],
  [0xaad7aaea, { name: 'PanFS', kind: 'network' }],
  [0x786f4256, { name: 'a folder shared by VirtualBox', kind: 'network' }],
  [0xbacbacbc, { name: 'a folder shared by VMware', kind: 'network' }],
  [0x7c7c6673, { name: 'a folder shared by Parallels', kind: 'network' }],
  [0x65735546, { name: 'FUSE', kind: 'unsure' }],
])

const MACOS: ReadonlyMap<string, FileSystem> = new Map([
  ['nfs', { name: 'NFS', kind: 'network' }],
  ['smbfs', { name: 'SMB', kind: 'network' }],
  ['afpfs', { name: 'AFP', kind: 'network' }],
  ['webdav', { name: 'WebDAV', kind: 'network' }],
  ['ftp', { name: 'FTP', kind: 'network' }],
  ['virtiofs', { name: 'a folder shared by a virtual machine', kind: 'network' }],
  ['macfuse', { name: 'FUSE', kind: 'unsure' }],
  ['osxfuse', { name: 'FUSE', kind: 'unsure' }],
  ['fusefs', { name: 'FUSE', kind: 'unsure' }],
])

/** Returns undefined if unknown, which is no reason for a warning. */
export function recogniseFileSystem({ platform, path, type, mounts }: FolderFacts): FileSystem | undefined {
  // also `\\?\UNC\server\share`; but `\\?\C:\` and `\\.\` are local
  if (platform === 'win32')
    return /^\\\\(?:[?.]\\UNC\\|(?![?.]\\))/i.test(path) ? { name: 'a network drive', kind: 'network' } : undefined
  if (platform === 'darwin') return mounts === undefined ? undefined : fromMounts(path, mounts)
  // Some kernels sign-extend the number into the upper half.
  return type === undefined ? undefined : LINUX.get(type >>> 0)
}

// Parses lines like `//ada@nas/data on /Volumes/data (smbfs, nodev, nosuid)`; the longest enclosing mount point wins.
function fromMounts(path: string, mounts: string): FileSystem | undefined {
  const lines = [...mounts.matchAll(/^.*? on (\/.*) \(([^,)]+)[^)]*\)$/gm)]
  const above = lines
    .map(([, point = '', name = '']) => ({ point, name }))
    .filter(({ point }) => point === '/' || path === point || path.startsWith(`${point}/`))
    .toSorted((a, b) => b.point.length - a.point.length)
  const [own] = above
  return own === undefined ? undefined : (MACOS.get(own.name) ?? { name: own.name, kind: 'local' })
}

const unknown = () => undefined

// ms for `mount`. Source: ours, a lost network disk may block it.
const MOUNT_LIMIT_MS = 2000

const THIS_MACHINE: Look = {
  platform: process.platform,
  realPath: (path) => realpath(path).catch(unknown),
  type: (path) => statfs(path).then(({ type }) => type, unknown),
  mounts: () =>
    new Promise((resolve) => {
      execFile('mount', { timeout: MOUNT_LIMIT_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
        resolve(error === null ? stdout : undefined),
      )
    }),
}

async function findFileSystem(folder: string, look: Look): Promise<FileSystem | undefined> {
  const { platform } = look
  const path = await look.realPath(folder)
  if (path === undefined) {
    const parent = dirname(folder)
    return parent === folder ? recogniseFileSystem({ platform, path: folder }) : findFileSystem(parent, look)
  }
  const [type, mounts] = await Promise.all([
    platform === 'win32' || platform === 'darwin' ? undefined : look.type(path),
    platform === 'darwin' ? look.mounts() : undefined,
  ])
  return recogniseFileSystem({ platform, path, type, mounts })
}

export async function fileSystemName(folder: string): Promise<string | undefined> {
  return (await findFileSystem(folder, THIS_MACHINE))?.name
}

const FIX = 'Keep the data folder on a disk of this machine: name one with --data.'

export async function fileSystemRow(folder: string, look: Look = THIS_MACHINE): Promise<DoctorRow> {
  const check = 'file system'
  const found = await findFileSystem(folder, look)
  if (found === undefined) return { check, state: 'ok', found: 'not known' }
  if (found.kind === 'local') return { check, state: 'ok', found: found.name }
  const why =
    found.kind === 'network'
      ? 'locks and syncs are not reliable there, so a crash can lose or damage data'
      : 'whether locks and syncs are reliable there depends on the program behind it'
  return { check, state: 'warning', found: `${found.name}: ${why}`, fix: FIX }
}

export async function fileSystemWarning(folder: string, look: Look = THIS_MACHINE): Promise<string | undefined> {
  const { state, found, fix } = await fileSystemRow(folder, look)
  return state === 'ok' ? undefined : `The data folder ${folder} is on ${found}. ${fix}`
}
