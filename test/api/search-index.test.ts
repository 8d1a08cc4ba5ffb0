/** Writes of the search index wait while many requests come, but not for ever. */
import { expect, it } from 'vitest'
import { setup } from '../support/core.ts'

const HOUR_MS = 3_600_000

async function withIndex() {
  const { storage, clock, createEndpoint } = await setup()
  await createEndpoint('e', { workersMin: 0, workersMax: 0 })
  let made = 0
  const none = { s3Config: undefined, webhook: undefined, idempotencyKey: undefined, lowPriority: false }
  const times = { executionTimeoutMs: HOUR_MS, ttlMs: HOUR_MS, retentionMs: HOUR_MS }
  const moment = () => ({ now: clock.wall(), steady: clock.wall() })
  const submit = (count: number) =>
    storage().write(() => {
      for (let n = 0; n < count; n++, made++)
        storage().jobs.insert(
          { id: `j${made}`, endpointId: 'e', input: '{"text":"keel"}', ...times, ...none },
          moment(),
        )
    })
  const indexed = async () => (await storage().jobs.countFound({ text: 'keel' })).count
  /** So many jobs again and again, while `goesOn`. @returns how often */
  async function load(count: number, everyMs: number, goesOn: (times: number) => boolean): Promise<number> {
    let done = 0
    for (; goesOn(done); done++) {
      await submit(count)
      await clock.advance(everyMs)
    }
    return done
  }
  return { clock, submit, indexed, load, behind: () => storage().search.behind() }
}

it('an index that is behind waits while jobs come thick, and continues in a pause', async () => {
  const { clock, submit, indexed, load, behind } = await withIndex()
  await submit(1000)
  await clock.until(async () => (await indexed()) > 0)
  await load(20, 20, (times) => times < 5)
  const before = await indexed()
  expect(before).toBeLessThan(1000)
  await load(20, 20, (times) => times < 200)
  expect(await indexed()).toBe(before)
  await clock.until(() => !behind(), HOUR_MS)
  expect(await indexed()).toBe(1000 + 20 * 205)
})

it('an index that has waited for half a minute is brought up to date while requests come', async () => {
  const { clock, submit, indexed, load, behind } = await withIndex()
  await clock.advance(1000)
  await submit(1000)
  const halfSeconds = await load(250, 500, behind)
  expect(halfSeconds).toBeGreaterThan(55)
  expect(halfSeconds).toBeLessThan(90)
  expect(await indexed()).toBe(1000 + 250 * halfSeconds)
})

it('a few jobs are indexed within a second', async () => {
  const { clock, submit, indexed } = await withIndex()
  await clock.advance(1000)
  await submit(20)
  await clock.until(async () => (await indexed()) === 20, 1000)
})
