import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'

const DAY = 86_400_000

// Safety row 7: whatever the wall clock does, spans are spans.
async function withJobs() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = await setup({ file: join(folder, 'drydock.db') })
  await service.createEndpoint('e', { concurrency: 10 })
  await service.createEndpoint('idle', { workersMin: 0 })
  const policy = { policy: { ttl: 20 * 60_000, executionTimeout: 10 * 60_000 } }
  const ended = await service.run()
  const running = await service.run({}, policy)
  const worker = await service.worker()
  await worker.takeBatch(2)
  await worker.ping([ended, running])
  await worker.done(ended, { output: 1 })
  await service.post('/api/endpoints/idle/pause')
  const waiting = await service.run({}, policy, 'idle')
  const states = async () => [
    (await service.status(ended)).status,
    (await service.status(running)).status,
    (await service.status(waiting, 'idle')).status,
  ]
  return { ...service, ended, running, waiting, worker, states }
}

const AS_BEFORE = ['COMPLETED', 'IN_PROGRESS', 'IN_QUEUE']

describe('a wall clock that jumps', () => {
  for (const [what, ms] of [
    ['a day ahead', DAY],
    ['a day back', -DAY],
  ] as const) {
    it(`${what} ends no lease, no ttl and no retention`, async () => {
      const { clock, worker, running, states } = await withJobs()
      clock.jumpWall(ms)
      for (let n = 0; n < 5; n++) {
        await clock.advance(3000)
        await worker.ping([running])
      }
      expect(await states()).toEqual(AS_BEFORE)
    })

    it(`${what} does not keep a lease alive either`, async () => {
      const { clock, running, status } = await withJobs()
      clock.jumpWall(ms)
      await clock.advance(10_200)
      expect(await status(running)).toMatchObject({ status: 'IN_QUEUE', retries: 1 })
    })

    for (const how of ['in order', 'killed'] as const) {
      it(`${what} ends nothing after a restart (${how}) of the service`, async () => {
        const { clock, restart, worker, running, states, storage } = await withJobs()
        clock.jumpWall(ms)
        await clock.advance(1000)
        await worker.ping([running])
        expect(storage().state.get('clock.offset')).toBe(ms)
        await restart(how)
        await clock.advance(2000)
        const [ended, , waiting] = await states()
        expect([ended, waiting]).toEqual(['COMPLETED', 'IN_QUEUE'])
        if (how === 'killed') {
          await worker.ping([running])
          expect(await states()).toEqual(AS_BEFORE)
        }
      })
    }

    it(`${what} right before an orderly stop is known at the next start`, async () => {
      const { clock, restart, states } = await withJobs()
      clock.jumpWall(ms)
      await restart('in order')
      await clock.advance(1000)
      const [ended, , waiting] = await states()
      expect([ended, waiting]).toEqual(['COMPLETED', 'IN_QUEUE'])
    })

    it(`${what} leaves every deadline where it was`, async () => {
      const { clock, waiting, ended, status, ask, restart } = await withJobs()
      clock.jumpWall(ms)
      await clock.advance(1000)
      await restart('killed')
      await clock.leap(20 * 60_000 - 3000)
      expect((await status(waiting, 'idle')).status).toBe('IN_QUEUE')
      await clock.leap(3000)
      expect((await status(waiting, 'idle')).status).toBe('TIMED_OUT')
      await clock.leap(10 * 60_000)
      expect((await ask('GET', `/v2/e/status/${ended}`)).status).toBe(404)
    })
  }

  it('is reported in the log', async () => {
    const { clock, log } = await withJobs()
    clock.jumpWall(DAY)
    await clock.advance(1000)
    expect(log).toContainEqual({ level: 'warn', message: 'the wall clock jumped', fields: { offset: DAY } })
  })

  it('shows people the new time', async () => {
    const { clock, run, get } = await withJobs()
    clock.jumpWall(DAY)
    const id = await run({}, {}, 'idle')
    expect((await get(`/api/jobs/${id}`)).createdAt).toBe(clock.wall())
  })
})
