/** The service is killed in each state of a batch of the job API: docs/spec/batches.md, 1. */
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'

const CALLS = 3
const REQUESTS = 60
const LARGE_EACH = 20
const LARGE = 'x'.repeat(limit('payloadInRowBytes'))
const ENDED_WITHIN_MS = 30_000
const RUNS_PER_FOLDER = 50
// The kill comes after so many reads of the batch, another number in each run.
const READS = 11

const STAGES = ['adding', 'queueing', 'running', 'cancelling'] as const
type Stage = (typeof STAGES)[number]

const JOBS_PER_RUN = CALLS * REQUESTS

// Rows that no kill may leave behind.
const FORBIDDEN = {
  twoStates: `SELECT COUNT(*) FROM draft_requests JOIN batch_lines USING (batch, line)
    WHERE seq IS NOT NULL OR reason IS NOT NULL`,
  twoJobs: `SELECT COUNT(*) FROM jobs WHERE batch IS NOT NULL AND seq NOT IN (SELECT seq FROM batch_lines WHERE seq IS NOT NULL)`,
  lost: `SELECT COUNT(*) FROM batch_lines JOIN batches ON batch = batches.seq
    WHERE batch_lines.seq IS NULL AND reason IS NULL AND state IN ('DRAFT', 'FINALIZED')
      AND NOT EXISTS (SELECT 1 FROM draft_requests d WHERE d.batch = batch_lines.batch AND d.line = batch_lines.line)`,
}

type Seen = Record<'partlyAdded' | 'partlyQueued' | 'partlyCancelled', number>

// States in the middle of a change in which kills have hit.
const MET: Readonly<Record<keyof Seen, string>> = {
  partlyAdded: `SELECT EXISTS (SELECT 1 FROM batch_lines JOIN batches ON batch = batches.seq WHERE line > received)`,
  partlyQueued: `SELECT EXISTS (SELECT 1 FROM batches JOIN draft_requests ON batch = seq WHERE state = 'FINALIZED')
    AND EXISTS (SELECT 1 FROM batches JOIN batch_lines ON batch = batches.seq
      WHERE settled = 0 AND state = 'FINALIZED' AND batch_lines.seq IS NOT NULL)`,
  partlyCancelled: `SELECT EXISTS (SELECT 1 FROM batches WHERE state = 'CANCELLED' AND settled = 0)`,
}

/** Kills the service with SIGKILL while it works on a batch, starts it again, and looks for every request. */
export async function killBatches({ runs }: { runs: number }) {
  const seen: Seen = { partlyAdded: 0, partlyQueued: 0, partlyCancelled: 0 }
  let requests = 0
  for (let done = 0; done < runs; ) {
    const service = servedService()
    await service.start()
    await service.createEndpoint('work', { workersMin: 1, workersMax: 1, concurrency: 20 })
    for (let n = 0; n < RUNS_PER_FOLDER && done < runs; n++, done++)
      requests += await oneRun(service, STAGES[done % STAGES.length] ?? 'adding', done % READS, seen)
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
  }
  return { runs, requests, ...seen }
}

async function oneRun(service: ServedService, stage: Stage, reads: number, seen: Seen): Promise<number> {
  const { id } = await service.post('/v2/work/batch', [])
  const path = (more = '') => `/v2/work/batch/${id}${more}`
  const [kept, cutOff] = stage === 'adding' ? [CALLS - 1, 1] : [CALLS, 0]
  const known: string[] = []
  const bodies = Array.from({ length: CALLS }, (_one, call) => ({ requests: requestsOf(call) }))
  for (const body of bodies.slice(0, kept)) known.push(...(await service.post(path('/requests'), body)).requestIds)
  if (stage !== 'adding') await service.post(path('/finalize'))
  if (stage === 'running' || stage === 'cancelling')
    await until(async () => expect((await service.get(path())).requestCompleted).toBeGreaterThan(reads))
  // The kill interrupts this call, so it may fail.
  const brokenOff = async () => {
    if (stage === 'adding') return await service.ask('POST', path('/requests'), bodies[CALLS - 1])
    return stage === 'cancelling' ? await service.ask('POST', path('/cancel')) : undefined
  }
  const answer = brokenOff().catch(() => undefined)
  for (let read = 0; read < reads; read++) await service.get(path())
  await service.kill()
  const isAnswered = (await answer) !== undefined
  look(service, seen)
  await service.start()

  const { status, requestTotal } = await service.get(path())
  if (cutOff === 0 || isAnswered) expect(requestTotal).toBe(JOBS_PER_RUN)
  else expect([JOBS_PER_RUN - REQUESTS, JOBS_PER_RUN]).toContain(requestTotal)
  if (status === 'DRAFT') await service.post(path('/finalize'))
  const ended = await until(async () => {
    const found = await service.get(path())
    expect(found.requestCompleted + found.requestFailed).toBe(requestTotal)
    return found
  }, ENDED_WITHIN_MS)
  if (stage === 'cancelling' && isAnswered) expect(ended.status).toBe('CANCELLED')
  if (ended.status === 'FINALIZED') expect(ended.requestFailed).toBe(0)
  await expectEveryRequest(service, { path: path('/requests'), total: requestTotal, known })
  expect(service.integrity()).toEqual(['ok'])
  return requestTotal
}

type Expected = { readonly path: string; readonly total: number; readonly known: readonly string[] }

async function expectEveryRequest(service: ServedService, { path, total, known }: Expected): Promise<void> {
  const { requests, hasMore } = await service.get(`${path}?limit=${limit('batchPageMax')}`)
  const ids = requests.map(({ id }: { id: string }) => id)
  expect({ hasMore, count: ids.length, different: new Set(ids).size }).toEqual({
    ...{ hasMore: false, count: total, different: total },
  })
  expect(ids.slice(0, known.length)).toEqual(known)
  for (const [at, { status, output }] of requests.entries())
    if (status === 'COMPLETED') expect(output.n).toBe(at)
    else expect(status).toBe('CANCELLED')
}

function look(service: ServedService, seen: Seen): void {
  const db = new BetterSqlite(join(service.data, 'drydock.db'), { readonly: true })
  try {
    const first = (sql: string) => Number(db.prepare(sql).pluck().get())
    for (const [what, sql] of Object.entries(FORBIDDEN)) expect({ [what]: first(sql) }).toEqual({ [what]: 0 })
    for (const what of Object.keys(MET) as (keyof Seen)[]) seen[what] += first(MET[what])
  } finally {
    db.close()
  }
}

const requestsOf = (call: number) =>
  Array.from({ length: REQUESTS }, (_one, at) => {
    const n = call * REQUESTS + at
    return { input: n % LARGE_EACH === 0 ? { n, pad: LARGE } : { n } }
  })
