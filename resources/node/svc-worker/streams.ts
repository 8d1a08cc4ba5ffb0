/** Turns what a generator yields into chunk posts. */
import type { RunningJob } from './jobs.ts'
import { chunkBody, encode, isErrorChunk, type Result, returned, streamed } from './results.ts'

/** What a handler streams. */
export type Chunks = {
  readonly next: () => IteratorResult<unknown> | Promise<IteratorResult<unknown>>
  readonly return?: (value?: unknown) => unknown
}

/**
 * What is streamed of a handler's value: an async iterable, or a generator. Other iterables, like arrays and texts, are
 * outputs.
 */
export function chunksOf(value: unknown): Chunks | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Symbol.asyncIterator in value) return (value as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  if (Symbol.iterator in value && 'next' in value) return value as unknown as Generator<unknown>
  return undefined
}

/**
 * Posts every chunk. Gives undefined when the job was cancelled: that is looked at between two chunks, and a generator
 * that waits in between has the signal. Its own `finally` has run then.
 */
export async function stream(chunks: Chunks, running: RunningJob, isAggregated: boolean): Promise<Result | undefined> {
  const kept: string[] = []
  let isDone = false
  try {
    while (!running.abort.signal.aborted) {
      const next = await chunks.next()
      isDone = next.done === true
      if (isDone) return streamed(kept)
      if (isErrorChunk(next.value)) return returned(next.value)
      // Written now, as the handler may change the object afterwards.
      const text = encode(next.value, 'chunk')
      if (isAggregated) kept.push(text)
      await running.outbox.putChunk(chunkBody(text))
    }
    return undefined
  } finally {
    if (!isDone) await chunks.return?.()
  }
}
