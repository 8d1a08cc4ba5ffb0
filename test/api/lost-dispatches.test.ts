import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'
import { until } from '../support/served-service.ts'

const TRIES = 20

/** A service with a worker listener, and a worker whose takes come over sockets of their own. */
async function withWorker() {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  const url = new URL(await service.listen('workers'))
  const path = (worker.spec.env.RUNPOD_WEBHOOK_GET_JOB ?? '').replace('$ID', worker.id).replace(/^https?:\/\/[^/]+/, '')
  const head = `GET ${path}&job_in_progress=0 HTTP/1.1\r\nHost: ${url.host}\r\n`

  /** Opens a take that nobody reads; ends when the service holds it. */
  async function openTake() {
    const socket = connect({ port: Number(url.port), host: url.hostname })
    socket.pause() // what comes stays unread in the system
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const { registry } = service.service()
    const live = registry.get(worker.id)
    if (live === undefined) throw new Error('the worker has ended')
    registry.note(live, { lastSeenWallAt: undefined })
    socket.write(`${head}Authorization: ${worker.spec.env.RUNPOD_AI_API_KEY}\r\n\r\n`)
    await until(() => expect(live.lastSeenWallAt).toBeDefined()) // every call is a sign of life
    return socket
  }
  return { ...service, openTake, worker }
}

type Place = Awaited<ReturnType<typeof withWorker>>

const inProgress = ({ status }: Place, jobId: string) =>
  until(async () => expect((await status(jobId)).status).toBe('IN_PROGRESS'))

/** Ways in which a connection ends around the dispatch of a job; each gives the job's id. */
const ENDINGS: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  async 'while the job is committed'({ openTake, run }) {
    const socket = await openTake()
    const id = run()
    socket.destroy()
    return id
  },
  async 'a moment after the job came'({ openTake, run }) {
    const socket = await openTake()
    const id = run()
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    return id
  },
  async 'when the job was sent and not read'(place) {
    const socket = await place.openTake()
    const id = await place.run()
    await inProgress(place, id)
    socket.destroy()
    return id
  },
}

for (const [when, end] of Object.entries(ENDINGS)) {
  it(`a job whose take ends its connection ${when} goes to the next take at once, ${TRIES} times of ${TRIES}`, async () => {
    const place = await withWorker()
    const { worker, status } = place
    const { clock } = place.service()
    const since = clock.steady()
    for (let n = 0; n < TRIES; n++) {
      const id = await end(place)
      expect((await worker.take())?.id).toBe(id)
      await worker.done(id, { output: n })
      expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: n })
      expect(await status(id)).not.toHaveProperty('retries')
    }
    // No lease has ended meanwhile: the clock stands still.
    expect(clock.steady()).toBe(since)
  })
}

it('a job that was read stays with its worker, although that closes the connection', async () => {
  const place = await withWorker()
  const { openTake, run, status, worker } = place
  for (const close of ['end', 'destroy'] as const) {
    const socket = await openTake()
    const id = await run()
    let text = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece
    })
    socket.resume()
    await until(() => expect(text).toContain(id))
    socket[close]()
    await once(socket, 'close')
    const next = await run()
    expect((await worker.take({ busy: true }))?.id).toBe(next)
    expect((await status(id)).status).toBe('IN_PROGRESS')
    for (const one of [id, next]) await worker.done(one, { output: 1 })
    expect(await status(id)).toMatchObject({ status: 'COMPLETED' })
  }
})

it('a job that its worker has named stays with it, whatever its connection says', async () => {
  const place = await withWorker()
  const { openTake, run, status, worker } = place
  const socket = await openTake()
  const id = await run()
  await inProgress(place, id)
  await worker.ping([id])
  socket.destroy()
  const next = await run()
  expect((await worker.take({ busy: true }))?.id).toBe(next)
  expect((await status(id)).status).toBe('IN_PROGRESS')
})
