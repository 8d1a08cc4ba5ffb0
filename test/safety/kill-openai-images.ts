/** The service is killed while OpenAI's clients make pictures: docs/spec/image-workflows.md, 7. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { workersOf } from '../support/comfyui/workers-of.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'

const GRAPH = readFileSync(new URL('../../../shared/workflows/01_api_sd15-txt2img.json', import.meta.url), 'utf8')
const CLIENTS = 6
const PICTURES = 4
// The kill comes after so many requests and answers, another number in each run.
const SPREAD = 40
const STEP = 17
const ENDED_WITHIN_MS = 60_000

type Seen = { pictures: number; durable: number; sentAgain: number }

/** Kills the service with SIGKILL, starts it again, looks for the job of every picture, and asks again without an answer. */
export async function killOpenAiImages({ runs, servers = 0 }: { runs: number; servers?: number }) {
  const seen = { pictures: 0, durable: 0, sentAgain: 0 }
  const service = servedService()
  await service.start()
  await service.createEndpoint('sketch', { ...(await workersOf(servers, GRAPH)), comfyuiWithoutKey: true })
  await publish(service)
  const known = new Set<string>()
  for (let run = 0; run < runs; run++) await oneRun(service, { run, known }, seen)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  return { runs, ...seen }
}

async function publish(service: ServedService): Promise<void> {
  const graph = JSON.parse(GRAPH)
  Object.assign(graph[3].inputs, { steps: 2 })
  Object.assign(graph[5].inputs, { width: 64, height: 64 })
  const parameters = [
    { name: 'prompt', node: '6', input: 'text', type: 'string' },
    { name: 'seed', node: '3', input: 'seed', type: 'integer' },
  ]
  await service.post('/api/published-graphs', {
    ...{ id: 'paint', name: 'Paint', behind: 'sketch', payload: JSON.stringify(graph), parameters },
  })
}

type Run = { readonly run: number /** Jobs of earlier runs. */; readonly known: Set<string> }

async function oneRun(service: ServedService, { run, known }: Run, seen: Seen): Promise<void> {
  let events = 0
  let killed: Promise<void> | undefined
  const note = () => {
    events += 1
    if (events === 1 + ((run * STEP) % SPREAD)) killed = service.kill()
  }
  /** Addresses of pictures by seed; undefined without an answer. */
  const sent = new Map<number, string | undefined>()
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_one, client) => {
      for (let n = 0; n < PICTURES; n++) {
        const seed = (run * CLIENTS + client) * PICTURES + n
        sent.set(seed, undefined)
        note()
        const address = await draw(service, seed).catch(() => undefined)
        if (address === undefined) return
        sent.set(seed, address)
        note()
      }
    }),
  )
  killed ??= service.kill()
  await killed
  await service.start()

  const made = await until(() => endedJobs(service, known), ENDED_WITHIN_MS)
  expect(made.length).toBe(new Set(made).size)
  expect([...sent.keys()]).toEqual(expect.arrayContaining(made))
  for (const [seed, address] of sent) {
    if (address !== undefined) {
      expect(made).toContain(seed)
      expect((await fetch(`${service.url()}${new URL(address).pathname}`)).status).toBe(200)
    } else {
      if (made.includes(seed)) seen.durable += 1
      else seen.sentAgain += 1
      await draw(service, seed)
    }
  }
  await endedJobs(service, known, (id) => known.add(id))
  expect(service.integrity()).toEqual(['ok'])
  seen.pictures += sent.size
}

/** Seeds of the jobs of this run, all of which have ended well. */
async function endedJobs(service: ServedService, known: ReadonlySet<string>, note?: (id: string) => void) {
  const { requests } = await service.get(`/api/jobs?endpoint=sketch&limit=${2 * CLIENTS * PICTURES}`)
  const seeds: number[] = []
  for (const { id, status } of requests) {
    if (known.has(id)) continue
    expect(status).toBe('COMPLETED')
    seeds.push((await service.get(`/api/jobs/${id}`)).input.workflow[3].inputs.seed)
    note?.(id)
  }
  return seeds
}

async function draw(service: ServedService, seed: number): Promise<string> {
  const asked = { prompt: 'a boat', seed, response_format: 'url' }
  const { status, body } = await service.ask('POST', '/v2/paint/openai/v1/images/generations', asked)
  expect([status, body]).toEqual([200, { created: expect.any(Number), data: [{ url: expect.any(String) }] }])
  return body.data[0].url
}
