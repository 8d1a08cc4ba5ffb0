/** A tar archive of a few small files, as the engine takes it to put a program into a container. */

/** A file of it; the path is at most 100 bytes. */
export type ProgramFile = { readonly path: string; readonly content: Buffer }

const BLOCK = 512
const MODE = '0000644'
const FOLDER_MODE = '0000755'
const END = Buffer.alloc(2 * BLOCK)

/** Makes it. Files and the folders around them belong to root. Source: POSIX.1-1988, ustar. */
export function programArchive(files: readonly ProgramFile[]): Buffer {
  const folders = [...new Set(files.flatMap(({ path }) => foldersAround(path)))].sort()
  const parts = [
    ...folders.map((path) => header(path, { type: '5', mode: FOLDER_MODE, size: 0 })),
    ...files.flatMap(({ path, content }) => [
      header(path, { type: '0', mode: MODE, size: content.length }),
      content,
      Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
    ]),
  ]
  return Buffer.concat([...parts, END])
}

/** An archive that gives folders to root with this mode. @param paths with a slash at the end, at most 100 bytes each */
export function folderArchive(paths: readonly string[], mode: number): Buffer {
  const octal = mode.toString(8).padStart(MODE.length, '0')
  return Buffer.concat([...paths.map((path) => header(path, { type: '5', mode: octal, size: 0 })), END])
}

const foldersAround = (path: string) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))

type Entry = { readonly type: '0' | '5'; readonly mode: string; readonly size: number }

function header(path: string, { type, mode, size }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0, 100)
  block.write(mode, 100)
  block.write('0000000', 108) // user and group
  block.write('0000000', 116)
  block.write(size.toString(8).padStart(11, '0'), 124)
  block.write('00000000000', 136) // time
  block.write(' '.repeat(8), 148) // the sum is taken over blanks in its place
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
