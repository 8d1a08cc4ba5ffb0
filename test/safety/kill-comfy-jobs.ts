/** The service is killed while clients of Comfy API v2 send jobs: docs/spec/comfyui.md, 11. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { workersOf } from '../support/comfyui/workers-of.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'

const GRAPH = readFileSync(new URL('../../../shared/workflows/01_api_sd15-txt2img.json', import.meta.url), 'utf8')
const CLIENTS = 6
const JOBS = 4
// The kill comes after so many answers and events, another number in each run.
const SPREAD = 60
const STEP = 17
const ENDED_WITHIN_MS = 60_000

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of any shape
type Answered = any

/** Unanswered jobs are `durable`, or `sentAgain`. */
type Seen = { jobs: number; sentAgain: number; durable: number }

/** Kills the service with SIGKILL, starts it again, sends what was not answered once more, and looks for every job. */
export async function killComfyJobs({ runs, servers = 0 }: { runs: number; servers?: number }) {
  const seen = { jobs: 0, sentAgain: 0, durable: 0 }
  const service = servedService()
  await service.start()
  await service.createEndpoint('sketch', { ...(await workersOf(servers, GRAPH)), comfyuiWithoutKey: true })
  for (let run = 0; run < runs; run++) await oneRun(service, run, seen)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  return { runs, ...seen }
}

async function oneRun(service: ServedService, run: number, seen: Seen): Promise<void> {
  let events = 0
  let killed: Promise<void> | undefined
  const note = () => {
    events += 1
    if (events === 1 + ((run * STEP) % SPREAD)) killed = service.kill()
  }
  /** Idempotency keys of all, with the job of those that were answered. */
  const sent = new Map<string, string | undefined>()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let n = 0; n < JOBS; n++) {
        const key = randomUUID()
        sent.set(key, undefined)
        const answer = await send(service, { run, key }).catch(() => undefined)
        if (answer === undefined) return
        expect(answer).toMatchObject({ status: 201 })
        sent.set(key, answer.body.id)
        note()
        await follow(answer.body.urls.events, note).catch(() => undefined)
      }
    }),
  )
  killed ??= service.kill()
  await killed
  await service.start()

  const jobs = new Set<string>()
  for (const [key, id] of sent) {
    const { status, body } = await send(service, { run, key })
    if (status === 422) expect(body.error.code).toBe('idempotency_key_reuse')
    const known: string = status === 201 ? body.id : body.error.details.job_id
    // An answered job is there, under its id.
    if (id !== undefined) expect([status, known]).toEqual([422, id])
    else if (status === 422) seen.durable += 1
    else seen.sentAgain += 1
    jobs.add(known)
  }
  expect(jobs.size).toBe(sent.size)
  const listed = await until(async () => {
    const found = await list(service, run)
    expect(found.map(({ status }) => status)).toEqual(Array(sent.size).fill('succeeded'))
    return found
  }, ENDED_WITHIN_MS)
  expect(new Set(listed.map(({ id }) => id))).toEqual(jobs)
  for (const { outputs } of listed) expect(outputs).toHaveLength(1)
  expect(service.integrity()).toEqual(['ok'])
  seen.jobs += sent.size
}

async function list(service: ServedService, run: number): Promise<readonly Answered[]> {
  const found: Answered[] = []
  let cursor = ''
  do {
    const answer: Answered = await (await fetch(`${base(service)}/jobs?metadata[run]=${run}&limit=100${cursor}`)).json()
    found.push(...answer.jobs)
    cursor = answer.next_cursor === undefined ? '' : `&cursor=${answer.next_cursor}`
  } while (cursor !== '')
  return found
}

async function send(service: ServedService, { run, key }: { readonly run: number; readonly key: string }) {
  const workflow = JSON.parse(GRAPH)
  Object.assign(workflow[3].inputs, { steps: 2 })
  Object.assign(workflow[5].inputs, { width: 64, height: 64 })
  const body = JSON.stringify({ workflow, metadata: { run: String(run), key } })
  const answer = await fetch(`${base(service)}/jobs`, { method: 'POST', body, headers: { 'idempotency-key': key } })
  return { status: answer.status, body: (await answer.json()) as Answered }
}

async function follow(address: string, note: () => void): Promise<void> {
  const { body } = await fetch(address)
  for await (const _piece of body ?? []) note()
}

const base = (service: ServedService) => `${service.url()}/comfy/sketch/api/v2`
