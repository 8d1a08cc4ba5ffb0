/** Payloads that have just been written, for the one reader that most often waits for each. */
export type RecentPayloads = {
  readonly put: (name: string, bytes: Uint8Array<ArrayBuffer>) => void
  /** Gives a payload away: a second reader reads the file. */
  readonly take: (name: string) => Uint8Array<ArrayBuffer> | undefined
  /** Forgets all of them. */
  readonly clear: () => void
}

/** Makes an empty one; the oldest payloads make room. @param maxBytes how much memory it may hold on to */
export function createRecentPayloads(maxBytes: number): RecentPayloads {
  const held = new Map<string, Uint8Array<ArrayBuffer>>()
  let bytes = 0
  const take = (name: string) => {
    const payload = held.get(name)
    if (payload === undefined) return undefined
    held.delete(name)
    bytes -= payload.buffer.byteLength // a payload is a part of the body it came in, and holds all of that
    return payload
  }
  return {
    take,
    clear() {
      held.clear()
      bytes = 0
    },
    put(name, payload) {
      held.set(name, payload)
      bytes += payload.buffer.byteLength
      for (const oldest of held.keys()) {
        if (bytes <= maxBytes) return
        take(oldest)
      }
    },
  }
}
