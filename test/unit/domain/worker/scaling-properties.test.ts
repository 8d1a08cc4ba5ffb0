import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideScaling } from '../../../../src-main/domain/worker/scaling.ts'
import type { ScalingDecision, ScalingFacts } from '../../../../src-main/domain/worker/scaling-facts.ts'
import { nextWorkerState } from '../../../../src-main/domain/worker/transitions.ts'
import { anyFacts } from './scaling-support.ts'

const RUNS = { numRuns: 500 }

const capacity = (facts: ScalingFacts) =>
  facts.workers.filter((worker) => !worker.outdated && ['initializing', 'idle', 'running'].includes(worker.state))

/** The facts after the decision is carried out, before anything else happens. */
function carriedOut(facts: ScalingFacts, decision: ScalingDecision): ScalingFacts {
  const leaving = new Set(decision.stop.map(({ workerId }) => workerId))
  const started = Array.from({ length: decision.start }, (_, n) => ({
    id: `n${n}`,
    state: 'initializing' as const,
    startedAt: facts.now,
    jobs: 0,
    outdated: false,
  }))
  const stayed = facts.workers.map((worker) =>
    leaving.has(worker.id) ? { ...worker, state: nextWorkerState(worker.state, 'drain') ?? 'ended' } : worker,
  )
  return { ...facts, workers: [...stayed, ...started], freePlaces: facts.freePlaces - decision.start }
}

/** The same facts later. */
function later(facts: ScalingFacts, now: number): ScalingFacts {
  const waited = facts.queue.normal === 0 ? 0 : facts.queue.oldestNormalWaitMs + now - facts.now
  return { ...facts, now, queue: { ...facts.queue, oldestNormalWaitMs: waited } }
}

const holds = (check: (facts: ScalingFacts, decision: ScalingDecision) => void) =>
  fc.assert(
    fc.property(anyFacts, (facts) => check(facts, decideScaling(facts))),
    RUNS,
  )

describe('every scaling decision', () => {
  it('keeps the fleet between minimum and maximum', () =>
    holds((facts, decision) => {
      const after = capacity(carriedOut(facts, decision)).length
      expect(after).toBeLessThanOrEqual(facts.config.workersMax)
      expect(decision.wanted).toBeLessThanOrEqual(facts.config.workersMax)
      expect(decision.wanted).toBeGreaterThanOrEqual(facts.config.workersMin)
    }))

  it('starts all it wants unless places or the back-off are in the way', () =>
    holds((facts, decision) => {
      const after = capacity(carriedOut(facts, decision)).length
      const heldBack = (facts.backOffUntil ?? 0) > facts.now
      if (heldBack) expect({ start: decision.start, throttled: decision.throttled }).toEqual({ start: 0, throttled: 0 })
      else expect(after + decision.throttled).toBe(decision.wanted)
      expect(decision.start).toBeLessThanOrEqual(facts.freePlaces)
    }))

  it('stops only live workers, each once', () =>
    holds((facts, decision) => {
      const ids = decision.stop.map(({ workerId }) => workerId)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids)
        expect(['initializing', 'idle', 'running', 'unhealthy']).toContain(
          facts.workers.find((worker) => worker.id === id)?.state,
        )
    }))

  it('kills no worker that has a job', () =>
    holds((facts, decision) => {
      const killed = decision.stop.filter(({ force }) => force).map(({ workerId }) => workerId)
      expect(facts.workers.filter((worker) => killed.includes(worker.id) && worker.jobs > 0)).toEqual([])
    }))

  it('is enough: carried out, it asks for nothing more at the same time', () =>
    holds((facts, decision) => {
      const next = decideScaling(carriedOut(facts, decision))
      expect({ start: next.start, stop: next.stop }).toEqual({ start: 0, stop: [] })
    }))

  it('holds until its next check: nothing is due one ms before', () =>
    holds((facts, decision) => {
      const until = decision.nextCheckAt ?? facts.now + 10_000_000
      expect(until).toBeGreaterThan(facts.now)
      const next = decideScaling(later(carriedOut(facts, decision), until - 1))
      expect({ start: next.start, stop: next.stop }).toEqual({ start: 0, stop: [] })
    }))

  it('is checked again only when something is due then', () =>
    holds((facts, decision) => {
      if (decision.nextCheckAt === undefined) return
      const next = decideScaling(later(carriedOut(facts, decision), decision.nextCheckAt))
      expect(next.start + next.stop.length + next.throttled).toBeGreaterThan(0)
    }))

  it('does not start more because low priority jobs wait', () =>
    holds((facts, decision) => {
      const more = decideScaling({ ...facts, queue: { ...facts.queue, lowPriority: facts.queue.lowPriority + 10 } })
      expect(more.start).toBeLessThanOrEqual(decision.start)
      expect(more.stop.length).toBeLessThanOrEqual(decision.stop.length)
    }))

  it('starts nothing and stops everything when the endpoint goes away', () =>
    holds((facts) => {
      const decision = decideScaling({ ...facts, stopping: true })
      const live = facts.workers.filter(({ state }) => state !== 'stopping' && state !== 'ended').map(({ id }) => id)
      expect({ ...decision, stop: decision.stop.map(({ workerId }) => workerId) }).toEqual({
        start: 0,
        stop: live,
        throttled: 0,
        wanted: 0,
      })
    }))
})
