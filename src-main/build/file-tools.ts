import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import type { FileTools } from '../services/ports/workflows.ts'

const UTF8 = new TextDecoder('utf-8')

/** What Node does with the bytes of files. */
export const fileTools: FileTools = {
  utf8: (bytes) => UTF8.decode(bytes),
  inflate(bytes, most) {
    try {
      return inflateSync(bytes, { maxOutputLength: most })
    } catch {
      return undefined // damaged, or larger than what is asked for: the port knows no difference
    }
  },
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
}
