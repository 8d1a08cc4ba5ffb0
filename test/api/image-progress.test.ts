import { describe, expect, it } from 'vitest'
import type { Fleet } from '../../src-main/runtimes/port.ts'
import { setup as setupService } from '../support/core.ts'

type Ensure = Fleet['ensure']

const TIMEOUT_MS = 60_000

/** A service whose fleet waits for an image until it is told to end. Its endpoint keeps one worker. */
async function setup() {
  const service = await setupService()
  const waits: Parameters<Ensure>[1][] = []
  const fleet = service.fleet() as { ensure: Ensure }
  fleet.ensure = (_plan, watch) => {
    waits.push(watch)
    return new Promise((_resolve, reject) => {
      watch.signal.addEventListener('abort', () => reject(watch.signal.reason))
    })
  }
  await service.createEndpoint('e', { initializingTimeoutMs: TIMEOUT_MS })
  const wait = await service.clock.until(() => waits[0])
  const workers = async () => (await service.get('/api/workers')).workers
  return { ...service, wait, waits, workers }
}

describe('a worker whose image comes', () => {
  it('says how far it is, and is not given up while that continues', async () => {
    const { clock, wait, workers } = await setup()
    for (const percent of [20, 40, 60]) {
      await clock.advance(0.9 * TIMEOUT_MS)
      wait.report(`pulling x: ${percent} %`)
    }
    expect(await workers()).toMatchObject([{ state: 'initializing', reason: 'pulling x: 60 %' }])
    expect(wait.signal.aborted).toBe(false)
  })

  it('no longer mentions the image while its container starts', async () => {
    const service = await setupService()
    const fleet = service.fleet() as { ensure: Ensure; start: Fleet['start'] }
    const { ensure, start } = fleet
    fleet.ensure = (plan, watch) => {
      watch.report('pulling x: 100 %')
      return ensure(plan, watch)
    }
    const started = Promise.withResolvers<void>()
    let isStarting = false
    fleet.start = async (spec) => {
      isStarting = true
      await started.promise
      return start(spec)
    }
    await service.createEndpoint('e')
    await service.clock.until(() => isStarting)
    const [worker] = (await service.get('/api/workers')).workers
    expect(worker).toMatchObject({ state: 'initializing' })
    expect(worker).not.toHaveProperty('reason')
    started.resolve()
  })

  it('is given up when nothing was heard for the time of its start, and the pull with it', async () => {
    const { clock, wait } = await setup()
    wait.report('pulling x: 20 %')
    await clock.advance(0.9 * TIMEOUT_MS)
    expect(wait.signal.aborted).toBe(false)
    await clock.advance(0.2 * TIMEOUT_MS)
    expect(wait.signal).toMatchObject({ aborted: true, reason: { message: 'not ready within 60 s' } })
  })

  it('leaves at once when its endpoint is deleted', async () => {
    const { ask, clock, wait, workers } = await setup()
    await ask('DELETE', '/api/endpoints/e')
    await clock.until(() => wait.signal.aborted)
    await clock.until(async () => (await workers()).length === 0)
  })
})
