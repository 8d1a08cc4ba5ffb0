import { limit } from '../../contract/limits.ts'

/** What a terminal wrote, counted in bytes from its beginning. The newest are kept, for a reader that comes back. */
export type ShellBuffer = {
  readonly add: (bytes: Uint8Array) => void
  /** All that is kept after that many bytes, and where it ends. */
  readonly read: (after: number) => { readonly bytes: Uint8Array; readonly end: number }
  /** Bytes that nobody has read yet. */
  readonly unread: () => number
}

/** Makes an empty buffer. */
export function createShellBuffer(): ShellBuffer {
  let kept: Uint8Array[] = []
  let start = 0
  let end = 0
  let readTo = 0

  return {
    add(bytes) {
      kept.push(bytes)
      end += bytes.length
      // What nobody has read stays in any case: the program waits before it gets too much.
      while (kept[0] !== undefined && end - start - kept[0].length >= limit('shellKeptBytes')) {
        if (start + kept[0].length > readTo) break
        start += kept[0].length
        kept = kept.slice(1)
      }
    },
    read(after) {
      readTo = end
      const all = Buffer.concat(kept)
      return { bytes: all.subarray(Math.min(all.length, Math.max(0, after - start))), end }
    },
    unread: () => end - readTo,
  }
}
