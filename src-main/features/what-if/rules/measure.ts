import type { WorkerState } from '../../../contract/endpoint.ts'

export type RecordedJob = {
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly workerId: string | null
  readonly lowPriority: 0 | 1
  readonly priority: number
  readonly lostAfterMs: readonly number[]
  readonly isOfBatch?: boolean | undefined
}

export type RecordedWorkerEvent = {
  readonly at: number
  readonly workerId: string
  readonly state: WorkerState
}

/** Samples in ms; an empty list means that nothing was measured. */
export type Measured = {
  readonly executionMs: readonly number[]
  readonly coldStartMs: readonly number[]
  readonly stopMs: readonly number[]
  readonly turnaroundMs: number | undefined
  readonly slowdown: readonly number[]
  readonly aloneMs: readonly (number | undefined)[]
  readonly lostShare: number
  readonly lostAfterMs: readonly number[]
}

const ENOUGH = 5

export function measure(jobs: readonly RecordedJob[], events: readonly RecordedWorkerEvent[]): Measured {
  const beside = jobsAtOnce(jobs)
  const byCount: number[][] = []
  for (const [at, { executionMs }] of jobs.entries()) {
    const count = beside[at]
    if (executionMs === null || count === undefined) continue
    byCount[count - 1] ??= []
    byCount[count - 1]?.push(executionMs)
  }
  const slowdown = slowdownOf(byCount)
  const aloneMs = jobs.map(({ executionMs }, at) => {
    const count = beside[at]
    if (executionMs === null || count === undefined) return undefined
    return executionMs / (slowdown[Math.min(count, slowdown.length) - 1] ?? 1)
  })
  const lostAfterMs = jobs.flatMap((job) => job.lostAfterMs)
  const ended = aloneMs.filter((ms) => ms !== undefined)
  const tries = ended.length + lostAfterMs.length
  return {
    executionMs: ended,
    ...spansOfWorkers(events),
    turnaroundMs: turnaroundOf(jobs, beside),
    slowdown,
    aloneMs,
    lostShare: tries === 0 ? 0 : lostAfterMs.length / tries,
    lostAfterMs,
  }
}

const startOf = ({ finishedAt, executionMs }: RecordedJob) =>
  finishedAt === null || executionMs === null ? undefined : finishedAt - executionMs

function byWorker(jobs: readonly RecordedJob[]): readonly (readonly number[])[] {
  const ran = [...jobs.keys()].filter(
    (at) => jobs[at]?.workerId !== null && startOf(jobs[at] as RecordedJob) !== undefined,
  )
  const groups = Map.groupBy(ran, (at) => jobs[at]?.workerId)
  return [...groups.values()].map((group) =>
    group.sort((a, b) => (startOf(jobs[a] as RecordedJob) ?? 0) - (startOf(jobs[b] as RecordedJob) ?? 0)),
  )
}

/** Jobs that ran on its worker when each began, including itself. */
function jobsAtOnce(jobs: readonly RecordedJob[]): readonly (number | undefined)[] {
  const counts: (number | undefined)[] = jobs.map(() => undefined)
  for (const group of byWorker(jobs)) {
    let open: number[] = []
    for (const at of group) {
      const job = jobs[at] as RecordedJob
      const start = startOf(job) ?? 0
      open = open.filter((end) => end > start)
      open.push(job.finishedAt ?? start)
      counts[at] = open.length
    }
  }
  return counts
}

function slowdownOf(byCount: readonly (readonly number[] | undefined)[]): readonly number[] {
  const alone = medianOf(byCount[0] ?? [])
  if (alone === undefined || alone === 0) return [1]
  const factors: number[] = []
  for (const spans of byCount) {
    const median = medianOf(spans ?? [])
    const before = factors.at(-1) ?? 1
    factors.push(median === undefined ? before : Math.max(before, median / alone))
  }
  return factors
}

function medianOf(spans: readonly number[]): number | undefined {
  if (spans.length < ENOUGH) return undefined
  return spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)]
}

// For workers that ran jobs back to back while others waited.
function turnaroundOf(jobs: readonly RecordedJob[], beside: readonly (number | undefined)[]): number | undefined {
  const gaps: number[] = []
  for (const group of byWorker(jobs))
    for (const [n, at] of group.entries()) {
      const [job, before] = [jobs[at], jobs[group[n - 1] ?? -1]]
      if (job === undefined || before === undefined || beside[at] !== 1) continue
      const gap = (startOf(job) ?? 0) - (before.finishedAt ?? 0)
      if (gap >= 0 && (job.delayMs ?? 0) > gap) gaps.push(gap)
    }
  return medianOf(gaps)
}

function spansOfWorkers(events: readonly RecordedWorkerEvent[]): Pick<Measured, 'coldStartMs' | 'stopMs'> {
  const coldStartMs: number[] = []
  const stopMs: number[] = []
  const started = new Map<string, number>()
  const asked = new Map<string, number>()
  for (const { at, workerId, state } of events) {
    const startedAt = started.get(workerId)
    const askedAt = asked.get(workerId)
    if (state === 'initializing') started.set(workerId, at)
    else started.delete(workerId)
    if (state === 'idle' && startedAt !== undefined) coldStartMs.push(at - startedAt)
    if (state === 'stopping') asked.set(workerId, at)
    if (state === 'ended' && askedAt !== undefined) stopMs.push(at - askedAt)
  }
  return { coldStartMs, stopMs }
}
