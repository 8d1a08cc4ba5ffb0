import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { WhatIfAnswer, WhatIfRequest } from '../../contract/what-if.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Endpoint, Job, Storage } from '../../storage/storage.ts'
import type { Settings } from '../settings/settings.ts'
import type { AnswerBeside, RecordedPage } from './ports.ts'
import { LEARN_MS, readWorkerEvents, type Span } from './recent-spans.ts'
import type { RecordedJob } from './rules/measure.ts'

export type WhatIf = ReturnType<typeof createWhatIf>

const PAGE = 200
const MOST_LEARNED = 20_000

type Deps = {
  readonly storage: Pick<Storage, 'jobs' | 'events'>
  readonly clock: Pick<Clock, 'now'>
  readonly settings: Pick<Settings, 'get'>
  readonly answer: AnswerBeside
}

/** One question at a time, because each takes a whole processor. */
export function createWhatIf({ storage, clock, settings, answer }: Deps) {
  const stopping = new AbortController()
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  async function answerNow(endpoint: Endpoint, request: WhatIfRequest, signal: AbortSignal): Promise<WhatIfAnswer> {
    signal.throwIfAborted()
    const { load } = request
    const learn = request.learn ?? { from: clock.now() - LEARN_MS, to: clock.now() }
    const isRecorded = load.type === 'recorded'
    if (isRecorded) requireFew(storage, endpoint.id, load)
    const draft = {
      ...{ config: endpoint.config, request, slots: settings.get().maxWorkers, isRecorded },
      workers: readWorkerEvents(storage, endpoint.id, learn),
    }
    async function* pages(): AsyncGenerator<RecordedPage> {
      yield* pagesOf(storage, endpoint.id, { ...learn, to: 'history', until: learn.to, most: MOST_LEARNED })
      if (isRecorded)
        yield* pagesOf(storage, endpoint.id, { ...load, to: 'recorded', until: load.to, most: limit('whatIfJobs') })
    }
    const result = await answer(draft, pages(), signal)
    if ('problem' in result) throw new AppError('BAD_FIELD', result.problem)
    return result.answer
  }

  return {
    /**
     * Changes nothing on the endpoint.
     * @throws AppError BAD_FIELD with what is missing, WHAT_IF_BUSY; the signal's reason
     */
    async ask(endpoint: Endpoint, request: WhatIfRequest, signal: AbortSignal): Promise<WhatIfAnswer> {
      if (waiting >= limit('whatIfWaiting')) throw new AppError('WHAT_IF_BUSY', {})
      waiting += 1
      const either = AbortSignal.any([signal, stopping.signal])
      const asked = last.then(() => answerNow(endpoint, request, either))
      last = asked.catch(() => undefined)
      return await asked.finally(() => {
        waiting -= 1
      })
    },
    stop: () => stopping.abort(new Error('the service stops')),
  }
}

function requireFew({ jobs }: Deps['storage'], endpointId: string, { from, to }: Span): void {
  const { count, more } = jobs.count({ endpointId, from, to })
  if (!more && count <= limit('whatIfJobs')) return
  const why = `holds more than ${limit('whatIfJobs')} jobs. Choose a shorter time span`
  throw new AppError('BAD_FIELD', { field: 'load', why })
}

async function* pagesOf(
  { jobs }: Deps['storage'],
  endpointId: string,
  {
    from,
    until,
    to,
    most,
  }: { readonly from: number; readonly until: number; readonly to: RecordedPage['to']; readonly most: number },
): AsyncGenerator<RecordedPage> {
  let before: number | undefined
  for (let read = 0; read < most; ) {
    const page = jobs.list({ endpointId, from, to: until, before, limit: Math.min(PAGE, most - read) })
    if (page.length === 0) return
    read += page.length
    before = page.at(-1)?.seq
    yield { to, jobs: page.map((job) => toRecorded(jobs, job)) }
  }
}

function toRecorded({ history }: Pick<Storage['jobs'], 'history'>, job: Job): RecordedJob {
  const { createdAt, finishedAt, delayMs, executionMs, workerId, lowPriority, priority, retries, batchId } = job
  const lostAfterMs = retries === 0 ? [] : lossesIn(history(job.seq))
  return {
    createdAt,
    finishedAt,
    delayMs,
    executionMs,
    workerId,
    lowPriority,
    priority,
    lostAfterMs,
    isOfBatch: batchId !== null,
  }
}

function lossesIn(entries: ReturnType<Storage['jobs']['history']>): number[] {
  const losses: number[] = []
  let claimedAt: number | undefined
  for (const { event, at } of entries) {
    if (event === 'claim') claimedAt = at
    if (event === 'rescue' && claimedAt !== undefined) losses.push(Math.max(0, at - claimedAt))
  }
  return losses
}
