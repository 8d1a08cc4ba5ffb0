import { fstatSync, readSync } from 'node:fs'

/** Returns the last bytes of an open file as UTF-8. @param minOffset offset in bytes to read from at the earliest */
export function readTail(fd: number, maxBytes: number, minOffset = 0): string {
  const end = fstatSync(fd).size
  const from = Math.max(minOffset, end - maxBytes)
  const bytes = Buffer.alloc(Math.max(0, end - from))
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from))
}
