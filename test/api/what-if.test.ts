import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup as setupService } from '../support/core.ts'

const PATH = '/api/endpoints/e/what-if'
const LOAD = { type: 'steady', perSecond: 1, durationMs: 60_000 }
const QUESTION = { load: LOAD, coldStartMs: 1000, executionMs: 500 }

async function setup() {
  const service = await setupService()
  await service.createEndpoint()
  const refused = async (body: object) => {
    const answer = await service.ask('POST', PATH, { body })
    return { status: answer.status, text: JSON.stringify(answer.body) }
  }
  return { ...service, refused }
}

describe('a what-if question', () => {
  it('is answered in a thread, with the current setting first, and changes nothing', async () => {
    const { post, get } = await setup()
    const before = await get('/api/endpoints/e')
    const answer = await post(PATH, { ...QUESTION, vary: { workersMax: [1, 2] } })
    expect(answer.rows[0]).toMatchObject({ isPresent: true, waiting: { p50: expect.any(Number) }, unserved: 0 })
    expect(await post(PATH, { ...QUESTION, vary: { workersMax: [1, 2] } })).toEqual(answer)
    expect(await get('/api/endpoints/e')).toEqual(before)
  })

  it('replays the jobs of a time span, and says so where there are none', async () => {
    const { post, run, clock, refused } = await setup()
    const from = clock.wall()
    for (let n = 0; n < 3; n++) await run()
    const recorded = { ...QUESTION, load: { type: 'recorded', from, to: clock.wall() + 1000 } }
    expect((await post(PATH, recorded)).jobs).toBe(3)
    const none = await refused({ ...QUESTION, load: { type: 'recorded', from: 0, to: 1 } })
    expect(none).toMatchObject({ status: 400, text: expect.stringContaining('holds no jobs') })
  })

  it('says that batch workers are not simulated if batch jobs were recorded', async () => {
    const { post, run, clock } = await setup()
    const ask = async () => {
      const load = { type: 'recorded', from: 0, to: clock.wall() + 1000 }
      return (await post(PATH, { ...QUESTION, load })).notes
    }
    const note = expect.stringMatching(/^Batch workers are not simulated/)
    await run()
    expect(await ask()).not.toContainEqual(note)
    const { id } = await post('/v2/e/batch', [{ input: {} }])
    await post(`/v2/e/batch/${id}/finalize`)
    await clock.advance(0)
    expect(await ask()).toContainEqual(note)
  })

  it('names what nothing was measured of', async () => {
    const { refused } = await setup()
    expect((await refused({ load: LOAD })).text).toContain('coldStartMs: is missing')
    expect((await refused({ load: LOAD, coldStartMs: 1 })).text).toContain('executionMs: is missing')
  })

  it.each([
    ['a broken trace', { load: { type: 'trace', text: '{"at": 0}\nnonsense' } }, 'line 2'],
    ['an empty trace', { load: { type: 'trace', text: '' } }, 'has no jobs'],
    ['a load without end', { load: { ...LOAD, perSecond: 10_000, durationMs: 86_400_000 } }, 'the limit is'],
    ['a price of another card', { card: 'X', prices: [{ card: 'Y', perSecond: 1 }] }, 'no price for X'],
    ['a negative price', { prices: [{ card: 'Y', perSecond: -1 }] }, 'prices'],
    ['a load of no kind', { load: { type: 'wild' } }, 'load'],
    ['a field of nobody', { turbo: true }, 'turbo'],
  ])('is refused with %s', async (_name, change, why) => {
    const { refused } = await setup()
    expect(await refused({ ...QUESTION, ...change })).toMatchObject({ status: 400, text: expect.stringContaining(why) })
  })

  it('takes a trace up to its limit', async () => {
    const { refused, post } = await setup()
    const line = '{"at":0}\n'
    const fitting = line + ' '.repeat(limit('traceBytes') - line.length)
    expect((await post(PATH, { ...QUESTION, vary: {}, load: { type: 'trace', text: fitting } })).jobs).toBe(1)
    const longer = { ...QUESTION, load: { type: 'trace', text: `${fitting} ` } }
    expect(await refused(longer)).toMatchObject({ status: 400 })
  })

  it('reads the public list prices with their date', async () => {
    const { get } = await setup()
    const { asOf, currency, prices } = await get('/api/prices')
    expect({ asOf, currency }).toEqual({ asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), currency: 'USD' })
    expect(prices.length).toBeGreaterThan(3)
  })
})
