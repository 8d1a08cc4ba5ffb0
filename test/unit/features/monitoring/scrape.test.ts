import { expect, it } from 'vitest'
import { createScrape, type ScrapeDeps } from '../../../../src-main/features/monitoring/scrape.ts'

const ENDPOINTS = 1000

/** A page over many endpoints, on a clock by which each endpoint takes a millisecond. */
function setup({ broken = false } = {}) {
  let steady = 0
  let turns = 0
  let made = 0
  const all = Array.from({ length: ENDPOINTS }, (_, at) => ({ id: `e${at}`, config: { name: `n${at}`, command: 'x' } }))
  const deps = {
    storage: {
      endpoints: {
        all: () => {
          made += 1
          return all
        },
      },
      jobs: { oldestWaiting: () => undefined },
      figures: async () => {
        if (broken) throw new Error('the database is closed')
        return { sizeBytes: 1, logBytes: 2, syncs: { count: 3, seconds: 4 } }
      },
    },
    clock: {
      steady: () => steady,
      now: () => 0,
      after: (_ms: number, run: () => void) => {
        turns += 1
        queueMicrotask(run)
        return () => undefined
      },
    },
    fleet: { containerHost: undefined },
    host: {
      space: () => Promise.reject(new Error('no disk')),
      readProcess: () => ({
        cpuSeconds: 1,
        residentBytes: 2,
        loopBusySeconds: 3,
        loopDelay: { p99Seconds: 0, maxSeconds: 0 },
      }),
    },
    counts: {
      of: () => {
        steady += 1
        return { normal: 0, lowPriority: 0, inProgress: 0 }
      },
    },
    workersOf: () => ({}),
    calls: { lateReports: () => 0 },
    metrics: { sinceStart: () => undefined },
    requestCounts: { all: () => [] },
    traces: { counts: () => ({ exported: 0, dropped: 0 }) },
    settings: { get: () => ({ maxWorkers: 32 }) },
    facts: () => ({ version: '1', startedAt: 0 }),
  }
  const pass = (ms: number) => {
    steady += ms
  }
  return { ...createScrape(deps as unknown as ScrapeDeps), turns: () => turns, made: () => made, pass }
}

it('a page over a thousand endpoints lets others go on every few milliseconds', async () => {
  const { read, turns } = setup()
  const page = await read('prometheus')
  // 1000 ms of work in slices of 3 ms.
  expect(turns()).toBeGreaterThanOrEqual(Math.floor(ENDPOINTS / 3))
  expect(page.split('\n').length / ENDPOINTS).toBeLessThan(25)
  // A disk that does not answer hides its own figures alone.
  expect(page).not.toContain('drydock_disk_free_bytes')
})

it('who asks while a page is made, or within a second, gets that page', async () => {
  const { read, made } = setup()
  const [one, other] = await Promise.all([read('prometheus'), read('openmetrics')])
  expect(other.replaceAll('\n', '').length).not.toBe(one.replaceAll('\n', '').length)
  expect(made()).toBe(1)
  const second = setup()
  await second.read('prometheus')
  second.pass(999)
  await second.read('prometheus')
  expect(second.made()).toBe(1)
  second.pass(1)
  await second.read('prometheus')
  expect(second.made()).toBe(2)
})

it('a page that could not be made is not given out again', async () => {
  const { read } = setup({ broken: true })
  await expect(read('prometheus')).rejects.toThrow('the database is closed')
  await expect(read('prometheus')).rejects.toThrow('the database is closed')
})
