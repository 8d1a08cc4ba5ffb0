import { fstatSync, readSync } from 'node:fs'

/** Reads the last bytes of an open file as text. @param start offset in bytes before which nothing is read */
export function endOfFile(file: number, mostBytes: number, start = 0): string {
  const end = fstatSync(file).size
  const from = Math.max(start, end - mostBytes)
  const bytes = Buffer.alloc(Math.max(0, end - from))
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from))
}
