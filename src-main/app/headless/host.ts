import { readdir, realpath, stat, truncate } from 'node:fs/promises'
import { arch, release, type as systemName } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { desktopVersion, type EngineSeen } from '../../features/system/adapters/ask-engine.ts'
import { askGpus, askToolkit, containerRows } from '../../features/system/adapters/container-rows.ts'
import { fileSystemRow, type Look } from '../../features/system/adapters/file-system.ts'
import {
  diskSpace,
  folderRow,
  permissionRow,
  spaceRow,
  tightenPermissions,
  watchRows,
} from '../../features/system/adapters/folder-rows.ts'
import { askPython, nodeRow, pythonRow, runToEnd } from '../../features/system/adapters/programs.ts'
import { userOfConnection } from '../../http/server/connection-user.ts'
import type { ServiceHost } from '../core.ts'
import type { DataFolder } from './data-folder.ts'
import { createProcessReader } from './read-process.ts'
import { leftPreviews, sweepData, sweepPreviews } from './sweep-data.ts'

type Size = Awaited<ReturnType<ServiceHost['measure']>>

// Files checked in parallel; source: ours, there are four file system threads.
const AT_ONCE = 32

const NOTHING: Size = { bytes: 0, files: 0 }

export function createHost(
  { folder, log, look }: Pick<DataFolder, 'folder' | 'log'> & { readonly look?: Look | undefined },
  now: () => number,
): ServiceHost {
  return {
    async check({ python, engine }) {
      const rows = await Promise.all([
        nodeRow(process.versions.node),
        pythonRow(python, runToEnd),
        folderRow(folder),
        fileSystemRow(folder, look),
        permissionRow(folder, process.platform),
        spaceRow(folder),
        watchRows(folder),
        containerRows({ runProgram: runToEnd, engine: async () => asSeen(await engine()), gpuTest: undefined }),
      ])
      return rows.flat()
    },
    async versions(python) {
      const [seen, toolkit, { cards }] = await Promise.all([
        askPython(python, runToEnd),
        askToolkit(runToEnd),
        askGpus(runToEnd),
      ])
      return [
        { name: 'Node', version: process.versions.node },
        { name: 'Python', version: seen?.version },
        { name: 'NVIDIA driver', version: cards[0]?.driver },
        { name: 'NVIDIA Container Toolkit', version: toolkit },
        { name: 'Operating system', version: `${systemName()} ${release()} ${arch()}` },
      ]
    },
    tightenPermissions: () => tightenPermissions(folder),
    async measure(names) {
      const parts = names.filter((name) => !isAbsolute(name)).map((name) => join(folder, name))
      const others = await Promise.all(names.filter(isAbsolute).map(whereItLies))
      return measureAll([...parts, ...others.flat()])
    },
    async list(name) {
      const names = await readdir(join(folder, name)).catch(() => [])
      return Promise.all(names.map((entry) => readEntry(join(folder, name), entry)))
    },
    space: () => diskSpace(folder),
    readProcess: createProcessReader(),
    async leftPreviews() {
      const folders = await leftPreviews(folder, now())
      return { folders: folders.length, ...(await measureAll(folders)) }
    },
    async removePreviews() {
      const failed = await sweepPreviews(folder, sweepData, now())
      if (failed.length > 0) throw new Error(failed.map(({ folder, why }) => `${folder}: ${why}`).join('; '))
    },
    emptyLog: () => truncate(log, 0).catch(ignoreMissing),
    userOf: userOfConnection,
  }
}

function asSeen(reported: Awaited<ReturnType<Parameters<ServiceHost['check']>[0]['engine']>>): EngineSeen {
  if (reported?.state !== 'connected')
    return { state: 'absent', reason: reported?.reason ?? 'this service runs its workers without containers' }
  const { source = '', version = '', platform = '', info = {} } = reported
  return { state: 'answers', where: source, version, desktop: desktopVersion(platform), info }
}

// A link in an opened project could lead to the disk's root.
async function whereItLies(path: string): Promise<readonly string[]> {
  const real = await realpath(path).catch(() => undefined)
  return real === path ? [path] : []
}

async function readEntry(parent: string, name: string) {
  const path = join(parent, name)
  const [{ bytes }, found] = await Promise.all([measure(path), stat(path).catch(() => undefined)])
  return { name, bytes, changedAt: found?.mtimeMs ?? Number.POSITIVE_INFINITY }
}

async function measureAll(paths: readonly string[]): Promise<Size> {
  const sizes = await Promise.all(paths.map(measure))
  return sizes.reduce(add, NOTHING)
}

// Only some files at once, because the service needs the disk for other work.
async function measure(path: string): Promise<Size> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return NOTHING
  if (!found.isDirectory()) return { bytes: found.size, files: 1 }
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  let sum = NOTHING
  while (files.length > 0) {
    const sizes = await Promise.all(files.splice(-AT_ONCE).map(sizeOf))
    sum = sizes.reduce(add, sum)
  }
  return sum
}

const sizeOf = (path: string): Promise<Size> =>
  stat(path).then(
    ({ size }) => ({ bytes: size, files: 1 }),
    () => NOTHING,
  )

const add = (one: Size, other: Size): Size => ({ bytes: one.bytes + other.bytes, files: one.files + other.files })

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
