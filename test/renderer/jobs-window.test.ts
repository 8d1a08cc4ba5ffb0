import { describe, expect, onTestFinished, test } from 'vitest'
import type { JobListItem, JobState } from '../../src-main/contract/job.ts'
import type { NumberedEvent } from '../../src-renderer/api-client/event-stream.ts'
import type { JobListFilter } from '../../src-renderer/features/jobs/list/job-list-filter.ts'
import { createJobWindow, PAGE, rowAt } from '../../src-renderer/features/jobs/list/job-window.ts'
import { jobMoved, NOW, testClient, testPlatform } from './support.tsx'

type Query = Readonly<Record<string, string | number | undefined>>

type Setup = {
  readonly count: number
  readonly filter?: JobListFilter
  /** Pages are read at once, and arrive after this. */
  readonly arrives?: Promise<void>
}

/** A service with so many jobs, `j0` the newest when it is counted; `more` come before it. */
function setup({ count, filter = { states: [] }, arrives }: Setup) {
  const platform = testPlatform()
  let newest = 0
  const states = new Map<string, JobState>()
  const jobOf = (place: number): JobListItem => ({
    id: `j${place}`,
    endpointId: 'e',
    status: states.get(`j${place}`) ?? 'IN_QUEUE',
    createdAt: NOW - place,
  })
  const { client, calls } = testClient({
    // A cursor is the place of the first job that it shows.
    jobCount: ({ query }: { query: Query }) =>
      query.after === undefined
        ? { count: count - newest, more: false, cursor: String(newest) }
        : { count: Number(query.after) - newest, more: false, cursor: String(newest) },
    jobList: async ({ query }: { query: Query }) => {
      if (typeof query.ids === 'string')
        return { requests: query.ids.split(',').map((id) => jobOf(Number(id.slice(1)))) }
      const from = Number(query.cursor) + Number(query.offset ?? 0)
      const end = Math.min(from + PAGE, count)
      const requests = Array.from({ length: Math.max(0, end - from) }, (_job, at) => jobOf(from + at))
      await arrives
      return { requests, ...(end < count ? { cursor: String(end) } : {}) }
    },
  })
  const list = createJobWindow({ client, platform, filter })
  onTestFinished(list.stop)
  list.start()
  const settle = () => platform.advance(0)
  const ids = (...places: readonly number[]) => places.map((place) => rowAt(list.getState(), place)?.id)
  let eventId = 0
  return {
    list,
    platform,
    settle,
    ids,
    /** Places that pages were read from, in order. */
    pagesRead: () =>
      calls
        .filter(({ operation }) => operation === 'jobList')
        .map(({ args }) => (args as { query: Query }).query)
        .filter((query) => query.ids === undefined)
        .map((query) => `${query.cursor}+${query.offset ?? 0}`),
    readAgain: () =>
      calls.flatMap(({ operation, args }) => {
        const { ids } = (args as { query: Query }).query
        return operation === 'jobList' && ids !== undefined ? [ids] : []
      }),
    /** Lets one job come. */
    come() {
      newest -= 1
      return `j${newest}`
    },
    move(id: string, from: JobState | undefined, to: JobState, more: object = {}) {
      states.set(id, to)
      eventId += 1
      const event: NumberedEvent = jobMoved(eventId, id, { to, ...(from === undefined ? {} : { from }), ...more })
      list.onEvents([event])
    },
  }
}

describe('a list', () => {
  test('holds the first page and the count, and nothing more before it is scrolled', async () => {
    const { list, settle, ids, pagesRead } = setup({ count: 100_000 })
    await settle()
    expect(list.getState()).toMatchObject({ phase: 'shown', count: 100_000, fresh: 0 })
    expect(ids(0, 99, 100)).toEqual(['j0', 'j99', undefined])
    expect(pagesRead()).toEqual(['0+0'])
  })

  test('reads on from the end of the page before, before it is in sight', async () => {
    const { list, settle, ids, pagesRead } = setup({ count: 1000 })
    await settle()
    list.setSight(20, 65)
    await settle()
    expect(ids(100, 199)).toEqual(['j100', 'j199'])
    list.setSight(120, 170)
    await settle()
    expect(pagesRead()).toEqual(['0+0', '100+0', '200+0'])
  })

  test('jumps to a distant row from the nearest loaded page', async () => {
    const { list, settle, ids, pagesRead } = setup({ count: 100_000 })
    await settle()
    list.setSight(50_045, 50_055)
    await settle()
    expect(ids(50_050)).toEqual(['j50050'])
    expect(pagesRead()).toEqual(['0+0', '100+49900'])
  })

  test('keeps at most the twenty nearest pages of 100,000 rows', async () => {
    const { list, settle, ids } = setup({ count: 100_000 })
    await settle()
    for (let at = 0; at < 5000; at += 100) {
      list.setSight(at, at + 40)
      await settle()
    }
    expect(list.getState().pages.size).toBe(20)
    expect(list.getState().rows.size).toBe(20 * PAGE)
    expect(ids(0, 4900)).toEqual([undefined, 'j4900'])
    list.setSight(0, 40)
    await settle()
    expect(ids(0)).toEqual(['j0'])
  })

  test('misses nothing that happens while it is read', async () => {
    const arrives = Promise.withResolvers<void>()
    const { list, platform, settle, move, come } = setup({ count: 3, arrives: arrives.promise })
    await settle()
    list.setReading(true)
    move('j1', 'IN_PROGRESS', 'COMPLETED')
    move(come(), undefined, 'IN_QUEUE')
    arrives.resolve()
    await settle()
    expect([rowAt(list.getState(), 1)?.status, list.getState().fresh]).toEqual(['IN_QUEUE', 1])
    await platform.advance(400)
    expect(rowAt(list.getState(), 1)?.status).toBe('COMPLETED')
  })

  test('changes a row at once, and reads it again soon after', async () => {
    const { list, platform, settle, move, readAgain } = setup({ count: 3 })
    await settle()
    list.setReading(true)
    move('j1', 'IN_QUEUE', 'IN_PROGRESS', { workerId: 'w' })
    expect(rowAt(list.getState(), 1)).toMatchObject({ status: 'IN_PROGRESS', workerId: 'w' })
    expect(readAgain()).toEqual([])
    await platform.advance(400)
    expect(readAgain()).toEqual(['j1'])
    expect(list.getState().fresh).toBe(0)
  })

  test('counts new jobs while scrolled, and shows them on request', async () => {
    const { list, platform, settle, move, come, ids } = setup({ count: 3 })
    await settle()
    list.setReading(true)
    for (let n = 0; n < 2; n++) move(come(), undefined, 'IN_QUEUE')
    await platform.advance(2000)
    expect(list.getState().fresh).toBe(2)
    expect(ids(0)).toEqual(['j0'])
    await list.begin()
    expect(ids(0, 2)).toEqual(['j-2', 'j0'])
    expect(list.getState()).toMatchObject({ fresh: 0, count: 5 })
  })

  test('reloads at the top at most twice a second', async () => {
    const { platform, settle, move, come, ids, pagesRead } = setup({ count: 3 })
    await settle()
    for (let n = 0; n < 20; n++) {
      move(come(), undefined, 'IN_QUEUE')
      await platform.advance(50)
    }
    await platform.advance(500)
    expect(ids(0)).toEqual(['j-20'])
    expect(pagesRead().length).toBeLessThan(5)
  })

  test('reloads when the user scrolls back to the top', async () => {
    const { list, settle, move, come, ids } = setup({ count: 3 })
    await settle()
    list.setReading(true)
    move(come(), undefined, 'IN_QUEUE')
    list.setReading(false)
    await settle()
    expect(ids(0)).toEqual(['j-1'])
  })

  test('filtered by state counts only jobs that are still in that state', async () => {
    const { list, settle, move } = setup({ count: 0, filter: { states: ['FAILED'], endpoint: 'e' } })
    await settle()
    list.setReading(true)
    move('a', 'IN_PROGRESS', 'FAILED')
    move('b', 'IN_PROGRESS', 'FAILED')
    move('c', 'IN_PROGRESS', 'COMPLETED')
    move('d', 'IN_PROGRESS', 'FAILED', { endpointId: 'other' })
    expect(list.getState().fresh).toBe(2)
    move('a', 'FAILED', 'IN_QUEUE')
    expect(list.getState().fresh).toBe(1)
  })

  test('with a search asks the service for new matches', async () => {
    const { list, platform, settle, move, come } = setup({ count: 3, filter: { states: [], text: 'crane' } })
    await settle()
    list.setReading(true)
    move(come(), undefined, 'IN_QUEUE')
    expect(list.getState().fresh).toBe(0)
    await platform.advance(500)
    expect(list.getState().fresh).toBe(1)
  })

  test('of a past time span gets no new jobs', async () => {
    const { list, platform, settle, move, come } = setup({ count: 3, filter: { states: [], to: NOW - 1 } })
    await settle()
    list.setReading(true)
    move(come(), undefined, 'IN_QUEUE')
    await platform.advance(1000)
    expect(list.getState().fresh).toBe(0)
  })

  test('shows a read error and keeps its rows', async () => {
    const platform = testPlatform()
    let fails = true
    const { client } = testClient({
      jobCount: () => {
        if (fails) throw new Error('not now')
        return { count: 1, more: false, cursor: '0' }
      },
      jobList: { requests: [{ id: 'j', endpointId: 'e', status: 'FAILED', createdAt: NOW }] },
    })
    const list = createJobWindow({ client, platform, filter: { states: [] } })
    await list.begin()
    expect(list.getState()).toMatchObject({ phase: 'failed', error: new Error('not now') })
    fails = false
    await list.begin()
    expect(list.getState()).toMatchObject({ phase: 'shown', error: undefined })
    fails = true
    await list.begin()
    expect(list.getState()).toMatchObject({ phase: 'shown', error: new Error('not now'), count: 1 })
  })
})
