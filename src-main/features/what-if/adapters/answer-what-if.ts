/**
 * Answers a what-if question in its own thread. History jobs are passed page by page, each after the previous was
 * taken, so copying blocks the event loop only briefly.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import type { AnswerBeside, RecordedPage, WhatIfDraft } from '../ports.ts'
import { answerWhatIf } from '../rules/answer.ts'
import type { RecordedJob } from '../rules/measure.ts'

type Told = { readonly page: RecordedPage } | { readonly draft: WhatIfDraft }
type Answered = 'taken' | ReturnType<typeof answerWhatIf>

export const answerBeside: AnswerBeside = async (draft, pages, signal) => {
  signal.throwIfAborted()
  const thread = new Worker(new URL(import.meta.url))
  try {
    for await (const page of pages) await tell(thread, { page }, signal)
    const answered = await tell(thread, { draft }, signal)
    if (answered === 'taken') throw new Error('the thread has not answered')
    return answered
  } finally {
    await thread.terminate()
  }
}

async function tell(thread: Worker, told: Told, signal: AbortSignal): Promise<Answered> {
  const answered = once(thread, 'message', { signal })
  thread.postMessage(told)
  const [answer] = await answered.catch((error) => {
    signal.throwIfAborted()
    throw error
  })
  return answer
}

function listen(): void {
  const jobs: Record<RecordedPage['to'], RecordedJob[]> = { history: [], recorded: [] }
  parentPort?.on('message', (told: Told) => {
    if ('page' in told) {
      for (const job of told.page.jobs) jobs[told.page.to].push(job)
      parentPort?.postMessage('taken' satisfies Answered)
      return
    }
    const { workers, isRecorded, ...question } = told.draft
    const history = { jobs: jobs.history.reverse(), workers }
    const recorded = isRecorded ? jobs.recorded.reverse() : undefined
    parentPort?.postMessage(answerWhatIf({ ...question, history, recorded }) satisfies Answered)
  })
}

if (!isMainThread) listen()
