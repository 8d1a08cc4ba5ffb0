import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { BuildFailure, buildProblem } from '../../../contract/build.ts'
import { KIB, MIB } from '../../../lib/units.ts'
import type { ProjectSource } from '../../projects/ports.ts'
import { comparePaths } from '../rules/manifest.ts'
import { isExecutableMode } from './file-modes.ts'

export const WHOLE_BYTES = MIB
/** Parallel reads or writes. Source: ours; with the size above, at most 32 MiB in memory. */
export const FILES_AT_ONCE = 32

export type FileToRead = { readonly name: string; readonly path: string }

/** `content` undefined: a large file to stream from `path`. `size` in bytes. */
export type ReadFile = FileToRead & {
  readonly size: number
  readonly content: Buffer | undefined
  readonly isExecutable: boolean
}

/**
 * Reads in parallel, yields in order.
 * @throws BuildFailure FILE_UNREADABLE
 */
export async function* readFiles(files: readonly FileToRead[], signal?: AbortSignal): AsyncGenerator<ReadFile> {
  const reading: Promise<ReadFile>[] = []
  let next = 0
  const fill = () => {
    while (next < files.length && reading.length < FILES_AT_ONCE) {
      const file = readOne(files[next++] as FileToRead)
      // A failure is reported in its turn; until then it must not end the process.
      file.catch(() => undefined)
      reading.push(file)
    }
  }
  fill()
  for (let file = reading.shift(); file !== undefined; file = reading.shift()) {
    signal?.throwIfAborted()
    yield await file
    fill()
  }
}

async function readOne(file: FileToRead): Promise<ReadFile> {
  try {
    await using opened = await open(file.path)
    const { size, mode } = await opened.stat()
    const content = size <= WHOLE_BYTES ? await opened.readFile() : undefined
    return { ...file, size: content?.length ?? size, content, isExecutable: isExecutableMode(mode) }
  } catch (error) {
    throw unreadable(file.name, error)
  }
}

// Maximum size of a text shown in a plan. Source: ours.
const TEXT_BYTES = 64 * KIB

export const readSourceText: ProjectSource['text'] = async (folder, { path, sha256 }) => {
  const found = await readOne({ name: path, path: join(folder, path) }).catch(() => undefined)
  if (found === undefined) return undefined
  const { content, size } = found
  if (content === undefined || size > TEXT_BYTES) return { noDiff: 'large' }
  if (createHash('sha256').update(content).digest('hex') !== sha256) return undefined
  return isUtf8(content) && !content.includes(0) ? { text: content.toString() } : { noDiff: 'binary' }
}

export function unreadable(name: string, error: unknown): BuildFailure {
  const why = error instanceof Error ? error.message : String(error)
  return new BuildFailure([buildProblem('FILE_UNREADABLE', { why }, { file: name })], { cause: error })
}

export async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && !/\.py[co]$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort(comparePaths)
}
