import { fstatSync, readSync } from 'node:fs'

export function readTail(fd: number, maxBytes: number, minOffset = 0): string {
  const end = fstatSync(fd).size
  const from = Math.max(minOffset, end - maxBytes)
  const bytes = Buffer.alloc(Math.max(0, end - from))
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from))
}
