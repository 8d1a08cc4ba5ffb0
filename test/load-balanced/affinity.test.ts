import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { createWeb, open, type Received, send, type Target, targetOf } from '../support/web-client.ts'

const REQUESTS = 1000

type Worker = { readonly id: string; readonly pid: number; readonly state: string }

async function workersOf(service: ServedService): Promise<readonly Worker[]> {
  return (await service.get('/api/workers?endpoint=web')).workers
}

async function setup() {
  const service = await startedService()
  await createWeb(service, 'web', { workersMin: 3, workersMax: 3 })
  await until(async () => expect(await service.get('/v2/web/health')).toMatchObject({ workers: { idle: 3 } }))
  return { service, target: targetOf(service), workers: await workersOf(service) }
}

const asking = (target: Target, affinity: string, path = '/lb/web/echo') =>
  send(target, path, { headers: { 'X-Runpod-Worker-Id': affinity } })

const answeredBy = ({ status, headers, json }: Received) => [status, headers['x-runpod-worker-id'], json().worker]

/** Sends requests from several clients at once; each request asks for the next worker in turn. */
async function askInTurn(
  { target, workers }: { readonly target: Target; readonly workers: readonly Worker[] },
  prefix: string,
  onAnswer: (asked: string, answer: Received, n: number) => void,
): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < REQUESTS) {
      const n = next++
      const { id = '' } = workers[n % workers.length] ?? {}
      onAnswer(id, await asking(target, prefix + id), n)
    }
  }
  // As many as one worker may answer at once.
  await Promise.all(Array.from({ length: 4 }, client))
}

test('requests without affinity, one after the other, go to all workers in turn', async () => {
  const { target, workers } = await setup()
  const seen: string[] = []
  for (let n = 0; n < 9; n++) seen.push((await send(target, '/lb/web/echo')).headers['x-runpod-worker-id'] as string)
  expect(new Set(seen.slice(0, 3))).toEqual(new Set(workers.map(({ id }) => id)))
  expect(seen).toEqual([...seen.slice(0, 3), ...seen.slice(0, 3), ...seen.slice(0, 3)])
})

test.each(['', 'strict ', 'strict-resume '])(
  '1,000 requests with "%sID" are answered by the workers that they ask for',
  async (prefix) => {
    const asked = await setup()
    await askInTurn(asked, prefix, (id, answer) => expect(answeredBy(answer)).toEqual([200, id, id]))
  },
)

test('strict requests for a killed worker fail, and other requests go to the other workers', async () => {
  const asked = await setup()
  const { target, workers } = asked
  const [killed] = workers
  const statuses = new Map<number, number>()
  await askInTurn(asked, 'strict ', (id, answer, n) => {
    if (n === REQUESTS / 2) process.kill(killed?.pid ?? 0, 'SIGKILL')
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 200) expect(answeredBy(answer)).toEqual([200, id, id])
    else expect(id).toBe(killed?.id)
  })
  // 502: it was killed before it answered.
  for (const status of statuses.keys()) expect([200, 404, 502]).toContain(status)
  expect(statuses.get(404)).toBeGreaterThan(REQUESTS / 10)

  const gone = await asking(target, `strict-resume ${killed?.id}`)
  expect(gone.json()).toMatchObject({
    ...{ code: 'AFFINITY_WORKER_GONE', status: 404, title: 'Not Found', detail: 'affinity_worker_gone' },
    error: expect.stringContaining('has ended'),
  })
  const other = await asking(target, killed?.id ?? '')
  expect(other.status).toBe(200)
  expect(other.json().worker).not.toBe(killed?.id)
})

test('a worker that requests ask for stays while the others of its fleet leave', async () => {
  const { service, target, workers } = await setup()
  const { id = '' } = workers[1] ?? {}
  await service.ask('PATCH', '/api/endpoints/web', { workersMin: 1, idleTimeoutMs: 2000 })
  await until(async () => {
    const answers = [await send(target, '/lb/web/echo'), await asking(target, `strict ${id}`)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const left = (await workersOf(service)).map((worker) => worker.id)
    // The other requests may keep a second one.
    expect(left.length).toBeLessThan(3)
    expect(left).toContain(id)
  })
})

test('streams and WebSockets go to the worker that is asked for, and name it', async () => {
  const { service, target, workers } = await setup()
  const { id = '' } = workers[1] ?? {}
  const headers = { 'X-Runpod-Worker-Id': `strict ${id}` }
  const events = await open(target, `/lb/web/events?gate=${service.gate('event')}`, { headers })
  expect(events.headers['x-runpod-worker-id']).toBe(id)
  events.destroy()

  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
  const socketTo = async (affinity: string): Promise<IncomingMessage> => {
    const asked = request(`${target.url}/lb/web/socket`, {
      headers: { ...upgrade, ...key, authorization: `Bearer ${target.key}`, 'X-Runpod-Worker-Id': affinity },
    })
    asked.end()
    const [answer, socket] = (await Promise.race([once(asked, 'upgrade'), once(asked, 'response')])) as [
      IncomingMessage,
      Socket | undefined,
    ]
    socket?.destroy()
    answer.destroy()
    return answer
  }
  const accepted = await socketTo(`strict ${id}`)
  expect([accepted.statusCode, accepted.headers['x-runpod-worker-id']]).toEqual([101, id])
  expect((await socketTo('strict nobody')).statusCode).toBe(404)
})
