import type { RunningJob } from './jobs.ts'
import { chunkBody, encode, isErrorChunk, type Result, returned, streamed } from './results.ts'

export type Chunks = {
  readonly next: () => IteratorResult<unknown> | Promise<IteratorResult<unknown>>
  readonly return?: (value?: unknown) => unknown
}

/** Streams async iterables and generators; other iterables, like arrays and strings, are outputs. */
export function chunksOf(value: unknown): Chunks | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Symbol.asyncIterator in value) return (value as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  if (Symbol.iterator in value && 'next' in value) return value as unknown as Generator<unknown>
  return undefined
}

/** Posts every chunk. Returns undefined after a cancel, once the generator's `finally` has run. */
export async function stream(chunks: Chunks, running: RunningJob, isAggregated: boolean): Promise<Result | undefined> {
  const kept: string[] = []
  let isDone = false
  try {
    while (!running.abort.signal.aborted) {
      const next = await chunks.next()
      isDone = next.done === true
      if (isDone) return streamed(kept)
      if (isErrorChunk(next.value)) return returned(next.value)
      // Encoded now, as the handler may change the object later.
      const text = encode(next.value, 'chunk')
      if (isAggregated) kept.push(text)
      await running.outbox.putChunk(chunkBody(text))
    }
    return undefined
  } finally {
    if (!isDone) await chunks.return?.()
  }
}
