import { describe, expect, it } from 'vitest'
import { createSteadyClock } from '../../../src-main/app/steady-clock.ts'

function source(wall: number) {
  const time = { wall, monotonic: 50 }
  return {
    time,
    pass(ms: number) {
      time.wall += ms
      time.monotonic += ms
    },
    clock(offset: number) {
      const saved: number[] = []
      const ports = { wall: () => time.wall, monotonic: () => time.monotonic, after: () => () => undefined }
      return { ...createSteadyClock(ports, offset, (found) => saved.push(found)), saved }
    },
  }
}

describe('the steady clock', () => {
  it('begins at wall time less the stored offset and follows the monotonic source', () => {
    const { clock, pass, time } = source(100_000)
    const { now, steady } = clock(3000)
    expect([now(), steady()]).toEqual([100_000, 97_000])
    pass(500)
    time.wall -= 40_000
    expect([now(), steady()]).toEqual([60_500, 97_500])
  })

  for (const [ms, seen] of [
    [1999, false],
    [-1999, false],
    [2000, true],
    [-2000, true],
    [86_400_000, true],
    [-86_400_000, true],
  ] as const) {
    it(`${seen ? 'stores' : 'does not take for a jump'} a change of ${ms} ms`, () => {
      const { clock, time } = source(1e9)
      const { checkForJump, saved } = clock(0)
      time.wall += ms
      checkForJump()
      checkForJump()
      expect(saved).toEqual(seen ? [ms] : [])
    })
  }

  it('continues at the same point after a restart with the stored offset', () => {
    const { clock, time, pass } = source(1e9)
    const first = clock(0)
    pass(5000)
    time.wall += 86_400_000
    first.checkForJump()
    const before = first.steady()
    expect(clock(first.saved[0] ?? 0).steady()).toBe(before)
  })

  it('gives whole milliseconds', () => {
    const { clock, pass } = source(1000.7)
    const { now, steady } = clock(0)
    pass(0.4)
    expect([now(), steady()].every(Number.isInteger)).toBe(true)
  })
})
