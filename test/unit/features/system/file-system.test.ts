import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type FolderFacts,
  fileSystemRow,
  fileSystemWarning,
  type Look,
  recogniseFileSystem,
} from '../../../../src-main/features/system/adapters/file-system.ts'

const WSL = '9p (a Windows drive under WSL, or a folder shared by a virtual machine)'
const MOUNTS = [
  '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
  'map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)',
  '//ada@nas._smb._tcp.local/my data on /Volumes/my data (smbfs, nodev, nosuid, mounted by ada)',
  'nas:/export on /Volumes/my data/inner (nfs)',
  's3 on /Users/ada/bucket (macfuse, synchronous)',
].join('\n')

const linux = (type: number): FolderFacts => ({ platform: 'linux', path: '/data', type })
const macos = (path: string): FolderFacts => ({ platform: 'darwin', path, mounts: MOUNTS })
const windows = (path: string): FolderFacts => ({ platform: 'win32', path })

describe('a file system is recognised', () => {
  test.each([
    [linux(0xef53), 'local', 'ext4'],
    [linux(0x6969), 'network', 'NFS'],
    [linux(0x517b), 'network', 'SMB'],
    [linux(0xff534d42), 'network', 'SMB (cifs)'],
    [linux(0xff534d42 | 0), 'network', 'SMB (cifs)'],
    [linux(0xfe534d42), 'network', 'SMB (smb3)'],
    [linux(0x01021997), 'network', WSL],
    [linux(0x01021994), 'local', 'tmpfs'],
    [linux(0x65735546), 'unsure', 'FUSE'],
    [linux(0x00c36400), 'network', 'Ceph'],
    [linux(0x6b414653), 'network', 'AFS'],
    [linux(0x786f4256), 'network', 'a folder shared by VirtualBox'],
    [macos('/Users/ada/data'), 'local', 'apfs'],
    [macos('/Volumes/my data/drydock'), 'network', 'SMB'],
    [macos('/Volumes/my data'), 'network', 'SMB'],
    [macos('/Volumes/my data too'), 'local', 'apfs'],
    [macos('/Volumes/my data/inner/drydock'), 'network', 'NFS'],
    [macos('/Users/ada/bucket/drydock'), 'unsure', 'FUSE'],
    [windows('\\\\nas\\share\\drydock'), 'network', 'a network drive'],
    [windows('\\\\?\\UNC\\nas\\share\\drydock'), 'network', 'a network drive'],
    [windows('\\\\wsl.localhost\\Debian\\home'), 'network', 'a network drive'],
  ] as const)('%o is %s: %s', (facts, kind, name) => {
    expect(recogniseFileSystem(facts)).toEqual({ kind, name })
  })

  test.each([
    linux(0x12345678),
    { platform: 'linux', path: '/data' },
    { platform: 'darwin', path: '/data' },
    windows('C:\\Users\\ada'),
    windows('\\\\?\\C:\\Users\\ada'),
  ] as const)('%o is not known', (facts) => {
    expect(recogniseFileSystem(facts)).toBeUndefined()
  })
})

/** A machine with one disk, on which only `/mnt` is there. */
const machine = (type: number | undefined): Look => ({
  platform: 'linux',
  realPath: async (path) => (path === '/mnt' ? '/real' : undefined),
  type: async (path) => (path === '/real' ? type : undefined),
  mounts: async () => undefined,
})

describe('the data folder', () => {
  test('on a network disk is a warning that says what to do, also while it is not made yet', async () => {
    expect(await fileSystemRow('/mnt/not/yet', machine(0x6969))).toEqual({
      check: 'file system',
      state: 'warning',
      found: 'NFS: locks and syncs are not reliable there, so a crash can lose or damage data',
      fix: 'Keep the data folder on a disk of this machine: name one with --data.',
    })
    expect(await fileSystemWarning('/mnt/not/yet', machine(0x6969))).toBe(
      'The data folder /mnt/not/yet is on NFS: locks and syncs are not reliable there, so a crash can lose or damage data. Keep the data folder on a disk of this machine: name one with --data.',
    )
  })

  test('on FUSE is a warning with less certainty', async () => {
    expect(await fileSystemRow('/mnt', machine(0x65735546))).toMatchObject({
      state: 'warning',
      found: 'FUSE: whether locks and syncs are reliable there depends on the program behind it',
    })
  })

  test.each([
    [0xef53, 'ext4'],
    [0x12345678, 'not known'],
    [undefined, 'not known'],
  ])('on file system %o is well', async (type, found) => {
    expect(await fileSystemRow('/mnt', machine(type))).toEqual({ check: 'file system', state: 'ok', found })
    expect(await fileSystemWarning('/mnt', machine(type))).toBeUndefined()
  })

  test('of this machine is well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-disk-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    expect(await fileSystemRow(join(folder, 'data'))).toMatchObject({ check: 'file system', state: 'ok' })
  })
})
