import { describe, expect, it } from 'vitest'
import { chooseWorker, handOver, neededLast } from '../../../../src-main/features/load-balancing/rules/choose-worker.ts'

const worker = (openRequests: number, idleSince?: number) => ({ openRequests, startedAt: 7, idleSince })

describe('the choice of a worker', () => {
  it('falls on the worker with the fewest open requests, and among equals on the one that has been idle the longest', () => {
    const [busy, newer, older] = [worker(2), worker(0, 9), worker(0, 5)]
    expect(chooseWorker([busy, newer, older], { share: 4, moreCome: false })).toBe(older)
    expect(chooseWorker([older, busy], { share: 4, moreCome: true })).toBe(older)
    const neverUsed = worker(0)
    expect(chooseWorker([newer, neverUsed], { share: 4, moreCome: false })).toBe(neverUsed)
  })

  it('lets a request wait when all have their share and another worker comes', () => {
    expect(chooseWorker([worker(4), worker(5)], { share: 4, moreCome: true })).toBe(undefined)
    const free = worker(3)
    expect(chooseWorker([worker(4), free], { share: 4, moreCome: true })).toBe(free)
  })

  it('gives a worker more than its share when none comes', () => {
    const least = worker(4)
    expect(chooseWorker([worker(5), least], { share: 4, moreCome: false })).toBe(least)
  })

  it('is undefined without workers', () => {
    expect(chooseWorker([], { share: 4, moreCome: false })).toBe(undefined)
  })
})

describe('the time at which a worker was last needed', () => {
  const fleet = (count: number) =>
    Array.from({ length: count }, () => ({
      ...{ startedAt: 0, openRequests: 0 },
      ...{ idleSince: 0, neededAt: 0, askedAt: undefined as number | undefined },
    }))
  const rule = { share: 1, moreCome: false }

  it('stands still for all but one worker while requests come one by one and go around', () => {
    const workers = fleet(4)
    for (let now = 1; now <= 100; now += 1) {
      const taker = chooseWorker(workers, rule)
      if (taker === undefined) throw new Error('nobody took it')
      const change = handOver(
        taker,
        workers.filter((worker) => worker !== taker),
      )
      if (change !== undefined) change.to.neededAt = change.neededAt
      Object.assign(taker, { idleSince: now, neededAt: now })
    }
    expect(workers.map(({ idleSince }) => idleSince)).toEqual([97, 98, 99, 100])
    expect(workers.map(neededLast).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 100])
  })

  it('is not before the last request that asked for it', () => {
    const [worker] = fleet(1)
    expect(worker && neededLast({ ...worker, neededAt: 3, askedAt: 5 })).toBe(5)
    expect(worker && neededLast({ ...worker, neededAt: 7, askedAt: 5 })).toBe(7)
  })

  it('is its start before anything else', () => {
    expect(neededLast({ startedAt: 7, neededAt: undefined, askedAt: undefined })).toBe(7)
  })
})
