import { failureText, messageOf, trimmedStack } from './errors.ts'
import type { Context, Program } from './handler.ts'
import type { RunningJob } from './jobs.ts'
import { currentJob, flushJob, report } from './logs.ts'
import type { Post } from './poster.ts'
import { rawJson } from './raw-json.ts'
import {
  bodyOf,
  chunkBody,
  encode,
  failed,
  isErrorChunk,
  progressBody,
  type Result,
  returned,
  streamed,
} from './results.ts'
import { doneTarget, type Settings } from './settings.ts'

export type Runner = { readonly program: Program; readonly settings: Settings; readonly post: Post }

type Outcome = { readonly isStream: boolean; readonly result: Result | undefined }

/**
 * Posts the result; a cancelled job posts nothing.
 * @returns true if this worker must take no further job
 */
export function runJob({ program, settings, post }: Runner, running: RunningJob): Promise<boolean> {
  const { job, abort, outbox } = running
  return currentJob.run(job.id, async () => {
    const { isStream, result } = await outcomeOf(program, settings, running)
    flushJob(job.id)
    if (result === undefined || abort.signal.aborted) {
      await outbox.discard()
      return false
    }
    await outbox.finish()
    const isLast = result.has('stopPod')
    await post(doneTarget(settings, job.id, isStream), bodyOf(result, isLast))
    return isLast
  })
}

async function outcomeOf(program: Program, settings: Settings, running: RunningJob): Promise<Outcome> {
  let isStream = false
  try {
    const value = await program.handler(running.job, contextOf(running))
    const chunks = chunksOf(value)
    if (chunks === undefined) return { isStream, result: returned(value) }
    isStream = true
    return { isStream, result: await stream(chunks, running, program.returnAggregateStream) }
  } catch (error) {
    // A thrown error fails the job, never the worker; after a cancel it is how a handler stops.
    if (running.abort.signal.aborted) return { isStream, result: undefined }
    report(`job failed\n${trimmedStack(error)}`, 'ERROR')
    return { isStream, result: failed(failureText(error, settings)) }
  }
}

function contextOf({ abort, outbox }: RunningJob): Context {
  return {
    signal: abort.signal,
    progress(value) {
      try {
        outbox.putProgress(progressBody(value))
      } catch (error) {
        // A progress update never changes how its job ends.
        report(`a progress update was dropped: ${messageOf(error)}`, 'WARN')
      }
    },
    rawJson,
  }
}

type Chunks = {
  readonly next: () => IteratorResult<unknown> | Promise<IteratorResult<unknown>>
  readonly return?: (value?: unknown) => unknown
}

/** Streams async iterables and generators; other iterables, like arrays and strings, are outputs. */
function chunksOf(value: unknown): Chunks | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Symbol.asyncIterator in value) return (value as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  if (Symbol.iterator in value && 'next' in value) return value as unknown as Generator<unknown>
  return undefined
}

/** Posts every chunk. Returns undefined after a cancel, once the generator's `finally` has run. */
async function stream(chunks: Chunks, running: RunningJob, isAggregated: boolean): Promise<Result | undefined> {
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
