/**
 * A `.tar.gz` is one or two concatenated gzip parts, so unchanged packages are not recompressed. Bytes depend only on
 * the entries.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { BuildFailure, buildProblem } from '../../../contract/build.ts'
import { fileMode } from './file-modes.ts'
import { type FileToRead, type ReadFile, readFiles } from './read-files.ts'

export type TarEntry = FileToRead | { readonly name: string; readonly text: string }

// 1980-01-01, the first day that every archive format supports; GNU tar warns of 1970.
const ENTRY_TIME = new Date(Date.UTC(1980, 0, 1))
// Two empty blocks end an archive.
const END_BYTES = 1024
const GZIP_SYSTEM_BYTE = 9
const UNKNOWN_SYSTEM = 255

export class OverLimit extends Error {}

export type Meter = ReturnType<typeof createMeter>

export function createMeter(limitBytes: number) {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    bytes: (): number => bytes,
    sha256: (): string => hash.copy().digest('hex'),
    through: (): Transform =>
      new Transform({
        transform(piece: Buffer, _encoding, done) {
          bytes += piece.length
          hash.update(piece)
          done(bytes > limitBytes ? new OverLimit() : null, piece)
        },
      }),
  }
}

/**
 * Compresses entries in order.
 * @param isLast the archive and the target end with this part
 * @param onEntry receives each written entry's size in bytes
 */
export async function writePart(
  entries: readonly TarEntry[],
  target: NodeJS.WritableStream,
  {
    isLast,
    meter,
    onEntry = () => {},
    signal,
  }: {
    readonly isLast: boolean
    readonly meter: Meter
    readonly onEntry?: ((size: number) => void) | undefined
    readonly signal?: AbortSignal | undefined
  },
): Promise<void> {
  const tar = pack()
  // The pipeline reports errors; an error without a listener would end the process.
  tar.on('error', () => {})
  const filling = fill(tar, entries, onEntry, signal).catch((error: Error) => tar.destroy(error))
  const source = Readable.from(tar, { objectMode: false })
  const parts = [...(isLast ? [] : [withoutEnd()]), createGzip(), withoutSystem(), meter.through()]
  try {
    await pipeline([source, ...parts, target], { end: isLast })
  } finally {
    tar.destroy()
    await filling
  }
}

async function fill(
  tar: ReturnType<typeof pack>,
  entries: readonly TarEntry[],
  onEntry: (size: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const file of inOrder(entries, signal)) {
    await addFile(tar, file)
    onEntry(file.size)
  }
  tar.finalize()
}

async function* inOrder(entries: readonly TarEntry[], signal: AbortSignal | undefined): AsyncGenerator<ReadFile> {
  const files = readFiles(
    entries.filter((entry) => 'path' in entry),
    signal,
  )
  for (const entry of entries) {
    if ('path' in entry) yield (await files.next()).value
    else {
      const content = Buffer.from(entry.text)
      yield { name: entry.name, path: '', size: content.length, content, isExecutable: false }
    }
  }
}

async function addFile(tar: ReturnType<typeof pack>, file: ReadFile): Promise<void> {
  const header = {
    name: file.name,
    size: file.size,
    mode: fileMode(file.isExecutable),
    mtime: ENTRY_TIME,
    type: 'file',
  } as const
  const { promise: written, resolve, reject } = Promise.withResolvers<void>()
  const done = (error?: Error | null) => (error ? reject(error) : resolve())
  if (file.content !== undefined) {
    // Both report an error: the callback, and the entry, which would end the process without a listener.
    tar.entry(header, file.content, done).on('error', reject)
    return written
  }
  const sink = tar.entry(header, done)
  // The header already has the size: of a file that grew the rest is skipped, one that shrank is an error.
  const reading = pipeline(createReadStream(file.path, { end: file.size - 1 }), sink)
  try {
    await Promise.all([reading, written])
  } catch (error) {
    if (error instanceof Error && error.message === 'Size mismatch') {
      throw new BuildFailure([buildProblem('FILE_CHANGED', {}, { file: file.name })], { cause: error })
    }
    throw error
  }
}

function withoutEnd(): Transform {
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const all = Buffer.concat([held, piece])
      const cut = Math.max(0, all.length - END_BYTES)
      held = all.subarray(cut)
      done(null, all.subarray(0, cut))
    },
  })
}

/** Removes the operating system from the gzip header; its time is 0 already. */
function withoutSystem(): Transform {
  let isFirst = true
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      if (isFirst) piece[GZIP_SYSTEM_BYTE] = UNKNOWN_SYSTEM
      isFirst = false
      done(null, piece)
    },
  })
}
