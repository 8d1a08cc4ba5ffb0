import { describe, expect, it } from 'vitest'
import { chooseWorker } from '../../../../src-main/features/load-balancing/rules/choose-worker.ts'

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

  it('is nobody where there is nobody', () => {
    expect(chooseWorker([], { share: 4, moreCome: false })).toBe(undefined)
  })
})
