import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import {
  mayFreeSlot,
  queueOfPool,
  settingsOfPool,
  sharingOf,
  toGiveWay,
} from '../../../../src-main/features/workers/rules/pools.ts'
import { decideScaling } from '../../../../src-main/features/workers/rules/scaling.ts'
import { anyFacts } from './scaling-support.ts'

const counts = { normal: fc.nat(9), lowPriority: fc.nat(9), batch: fc.nat(9) }
const sharings = fc.constantFrom('never' as const, 'meanwhile' as const, 'always' as const)

describe('the queues of both pools', () => {
  it('hold each job once, and twice only while main workers stand in', () =>
    fc.assert(
      fc.property(fc.record(counts), sharings, (count, sharing) => {
        const [main, batch] = [queueOfPool(count, 'main', sharing), queueOfPool(count, 'batch', sharing)]
        const all = main.normal + main.lowPriority + batch.normal + batch.lowPriority
        const twice = sharing === 'meanwhile' ? count.batch : 0
        expect(all - twice).toBe(count.normal + count.lowPriority + count.batch)
      }),
    ))

  it('batch jobs start no main worker unless there are no batch workers', () => {
    const waiting = { normal: 0, lowPriority: 0, batch: 5 }
    expect(queueOfPool(waiting, 'main', 'never')).toEqual({ normal: 0, lowPriority: 0 })
    expect(queueOfPool(waiting, 'main', 'meanwhile')).toEqual({ normal: 0, lowPriority: 5 })
    expect(queueOfPool(waiting, 'main', 'always')).toEqual({ normal: 5, lowPriority: 0 })
  })
})

describe('batch workers', () => {
  it('are never more than the setting allows, nor start without a slot, whatever waits', () =>
    fc.assert(
      fc.property(anyFacts, fc.nat(3), (facts, batchWorkersMax) => {
        const config = settingsOfPool({ ...facts.config, batchWorkersMax }, 'batch')
        const { start, wanted } = decideScaling({ ...facts, pool: 'batch', config })
        expect(wanted).toBeLessThanOrEqual(batchWorkersMax)
        expect(start).toBeLessThanOrEqual(Math.max(0, facts.freeSlots))
      }),
    ))

  it('have stand-ins only while none of them has a slot', () => {
    const config = { workersMin: 0, workersMax: 1 }
    const decision = { start: 0, stop: [] }
    expect(sharingOf(config, undefined)).toBe('never')
    expect(sharingOf(config, { ...decision, throttled: 1, wanted: 1 })).toBe('meanwhile')
    expect(sharingOf(config, { ...decision, throttled: 1, wanted: 2 })).toBe('never')
    expect(sharingOf({ ...config, batchWorkersMax: 0 }, undefined)).toBe('always')
    expect(sharingOf({ ...config, workersMax: 0 }, undefined)).toBe('always')
  })

  it('give way idle ones first, no more than needed', () => {
    const workers = (['running', 'idle', 'stopping'] as const).map((state) => ({ state }))
    expect(toGiveWay(workers, 1)).toEqual([])
    expect(toGiveWay(workers, 2)).toEqual([{ state: 'idle' }])
    expect(toGiveWay(workers, 9)).toEqual([{ state: 'idle' }, { state: 'running' }])
  })

  it('give way only if their slot can be used', () => {
    const container = (more: object) => ({ container: containerSettings.parse({ image: 'i', ...more }) })
    expect(mayFreeSlot({}, {})).toBe(true)
    expect(mayFreeSlot({}, container({}))).toBe(false)
    expect(mayFreeSlot(container({}), container({ gpu: 'any' }))).toBe(false)
    expect(mayFreeSlot(container({ gpu: 'any' }), container({}))).toBe(true)
    expect(mayFreeSlot(container({ machine: 'far' }), container({}))).toBe(false)
    expect(mayFreeSlot(container({ machine: 'far' }), container({ machine: 'any' }))).toBe(true)
  })
})
