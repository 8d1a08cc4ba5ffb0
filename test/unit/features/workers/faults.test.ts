import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import {
  activeFaults,
  type FaultShare,
  isHit,
  isUsedUp,
  settingsWithFaults,
  tryId,
  whyKilled,
} from '../../../../src-main/features/workers/rules/faults.ts'

const SHARES: readonly FaultShare[] = ['failPercent', 'killPercent', 'outOfMemoryPercent']
const TRIES = 4000
// Five standard deviations of a share of so many tries at its worst, 50 %, in percent.
const SPREAD = (5 * 50) / Math.sqrt(TRIES)

const share = fc.constantFrom(...SHARES)
const hits = (name: FaultShare, percent: number, ids: readonly string[]) =>
  ids.filter((id) => isHit({ [name]: percent }, name, id))

describe('the decision of a switch', () => {
  it('is the same each time', () => {
    fc.assert(
      fc.property(share, fc.nat(100), fc.string(), (name, percent, id) => {
        expect(isHit({ [name]: percent }, name, id)).toBe(isHit({ [name]: percent }, name, id))
      }),
    )
  })

  it('hits nothing at 0 or when it is missing, and everything at 100', () => {
    fc.assert(
      fc.property(share, fc.string(), (name, id) => {
        expect([isHit({}, name, id), isHit({ [name]: 0 }, name, id), isHit({ [name]: 100 }, name, id)]).toEqual([
          false,
          false,
          true,
        ])
      }),
    )
  })

  it('hits the share that it is set to, over ids of jobs and over tries of one job', () => {
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 99 }), fc.uuid(), (name, percent, uuid) => {
        const jobs = Array.from({ length: TRIES }, (_, n) => tryId(`${uuid}-${n}-l1`, 1))
        const tries = Array.from({ length: TRIES }, (_, n) => tryId(`${uuid}-l1`, n))
        for (const ids of [jobs, tries])
          expect(Math.abs((hits(name, percent, ids).length * 100) / TRIES - percent)).toBeLessThan(SPREAD)
      }),
      { numRuns: 30, seed: 1 },
    )
  })

  it('keeps what it hits when its share is raised', () => {
    fc.assert(
      fc.property(share, fc.nat(100), fc.nat(100), fc.uuid(), (name, one, other, id) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        if (isHit({ [name]: low }, name, id)) expect(isHit({ [name]: high }, name, id)).toBe(true)
      }),
    )
  })

  it('does not depend on that of another switch', () => {
    const ids = Array.from({ length: TRIES }, (_, n) => tryId(`${n}`, 1))
    for (const name of SHARES)
      for (const other of SHARES.filter((each) => each !== name)) {
        const both = hits(other, 50, hits(name, 50, ids)).length
        expect(Math.abs((both * 100) / TRIES - 25)).toBeLessThan(SPREAD)
      }
  })
})

describe('a fault that kills a worker', () => {
  it('is named', () => {
    expect(whyKilled({ killPercent: 100 }, 'x')).toBe('killed by fault injection (killPercent) on its endpoint')
    expect(whyKilled({ killPercent: 100, outOfMemoryPercent: 100 }, 'x')).toBe('out of memory (fault injection)')
    expect(whyKilled({ failPercent: 100, delayMs: 1, throttle: true, coldStart: true }, 'x')).toBeUndefined()
  })
})

describe('the switches that are on', () => {
  it('are those that are neither missing nor 0 nor false', () => {
    expect(activeFaults({ delayMs: 0, failPercent: 1, throttle: false, coldStart: true })).toEqual({
      failPercent: 1,
      coldStart: true,
    })
    for (const off of [undefined, {}, { killPercent: 0, throttle: false }]) expect(activeFaults(off)).toBeUndefined()
  })
})

describe('cold start', () => {
  const config = endpointConfig.parse({
    name: 'e',
    command: 'x',
    workersMin: 2,
    concurrency: 4,
    scaler: { type: 'REQUEST_COUNT', value: 8 },
    container: { image: 'x', keepPausedMs: 5 },
  })

  it('makes a worker worth one job, and keeps none for later', () => {
    expect(settingsWithFaults({ ...config, faults: { coldStart: true } })).toMatchObject({
      workersMin: 0,
      idleTimeoutMs: 0,
      concurrency: 1,
      scaler: { type: 'REQUEST_COUNT', value: 1 },
      container: { image: 'x', keepPausedMs: 0 },
    })
    expect(settingsWithFaults({ ...config, faults: { throttle: true } })).toMatchObject({ ...config })
  })

  it('uses a worker up with its first job, or when nobody knows what it ran', () => {
    const fresh = { jobsDone: 0, jobSpans: [], adopted: false }
    expect(isUsedUp({ coldStart: true }, fresh)).toBe(false)
    for (const used of [{ jobsDone: 1 }, { jobSpans: ['one'] }, { adopted: true }]) {
      expect(isUsedUp({ coldStart: true }, { ...fresh, ...used })).toBe(true)
      expect(isUsedUp({ throttle: true }, { ...fresh, ...used })).toBe(false)
    }
  })
})
