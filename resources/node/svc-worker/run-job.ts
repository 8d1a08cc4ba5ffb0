import { currentJob } from './current-job.ts'
import { failureText, messageOf, trimmedStack } from './errors.ts'
import type { Context, Program } from './handler.ts'
import type { RunningJob } from './jobs.ts'
import { flushJob, report } from './logs.ts'
import type { Post } from './poster.ts'
import { rawJson } from './raw-json.ts'
import { bodyOf, failed, progressBody, type Result, returned } from './results.ts'
import { doneTarget, type Settings } from './settings.ts'
import { chunksOf, stream } from './streams.ts'

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
      const body = updateBody(value)
      if (body !== undefined) outbox.putProgress(body)
    },
    rawJson,
  }
}

// A progress update never changes how its job ends.
function updateBody(value: unknown): string | undefined {
  try {
    return progressBody(value)
  } catch (error) {
    report(`a progress update was dropped: ${messageOf(error)}`, 'WARN')
    return undefined
  }
}
