import { open } from 'node:fs/promises'
import { BuildFailure, buildProblem } from '../contract/build.ts'

// Files up to this size are read whole. Together: 32 MiB in memory at most.
const WHOLE_BYTES = 1024 * 1024
const AT_ONCE = 32
const EXECUTABLE = 0o111

/** A file of a project; `name` is its path for messages and archives. */
export type FileToRead = { readonly name: string; readonly path: string }

/** A file that was read; `content` undefined: it is large, and is to be streamed from `path`. `size` in bytes. */
export type ReadFile = FileToRead & {
  readonly size: number
  readonly content: Buffer | undefined
  readonly isExecutable: boolean
}

/** Reads files, several at once, and gives them in order. @throws BuildFailure FILE_UNREADABLE */
export async function* readFiles(files: readonly FileToRead[], signal?: AbortSignal): AsyncGenerator<ReadFile> {
  const reading: Promise<ReadFile>[] = []
  let next = 0
  const fill = () => {
    while (next < files.length && reading.length < AT_ONCE) {
      const file = readOne(files[next++] as FileToRead)
      // One that fails is met in its turn; until then it must not end the process.
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
    const isExecutable = (mode & EXECUTABLE) !== 0
    return { ...file, size: content?.length ?? size, content, isExecutable }
  } catch (error) {
    throw unreadable(file.name, error)
  }
}

/** The failure of a file that cannot be read. @param name path for the message */
export function unreadable(name: string, error: unknown): BuildFailure {
  const why = error instanceof Error ? error.message : String(error)
  return new BuildFailure([buildProblem('FILE_UNREADABLE', { why }, { file: name })], { cause: error })
}
