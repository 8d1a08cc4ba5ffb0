import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideScaling } from '../../../../src-main/features/workers/rules/scaling.ts'
import type {
  ScalingDecision,
  ScalingFacts,
  ScalingWorker,
} from '../../../../src-main/features/workers/rules/scaling-facts.ts'
import { anyFacts, nextWorkerState } from './scaling-support.ts'

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
  const stayed = facts.workers.map((worker): ScalingWorker => {
    if (leaving.has(worker.id)) return { ...worker, state: nextWorkerState(worker.state, 'drain') ?? 'ended' }
    if (decision.pause?.includes(worker.id)) return { ...worker, state: 'paused', pausedSince: facts.now }
    if (decision.resume?.includes(worker.id))
      return { ...worker, state: 'idle', neededLast: facts.now, resumedAt: facts.now }
    return worker
  })
  return { ...facts, workers: [...stayed, ...started], freeSlots: facts.freeSlots - decision.start }
}

/** The same facts later. */
function later(facts: ScalingFacts, now: number): ScalingFacts {
  const waited = facts.queue.normal === 0 ? 0 : facts.queue.oldestNormalWaitMs + now - facts.now
  return { ...facts, now, queue: { ...facts.queue, oldestNormalWaitMs: waited } }
}

/** The actions of a decision, without its reasons. */
const toDo = ({ start, stop, pause = [], resume = [] }: ScalingDecision) => ({ start, stop, pause, resume })
const NOTHING = { start: 0, stop: [], pause: [], resume: [] }

/**
 * Whether a frozen worker takes the place of one that leaves while nothing waits. It is idle from then on, so its idle
 * timeout begins with the change of its state, which is a decision of its own.
 */
const wakesWithoutWork = ({ queue }: ScalingFacts, { resume = [] }: ScalingDecision) =>
  resume.length > 0 && queue.normal === 0

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
      expect(decision.start).toBeLessThanOrEqual(facts.freeSlots)
    }))

  it('stops only live workers, each once', () =>
    holds((facts, decision) => {
      const ids = decision.stop.map(({ workerId }) => workerId)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids)
        expect(['initializing', 'idle', 'running', 'unhealthy', 'paused']).toContain(
          facts.workers.find((worker) => worker.id === id)?.state,
        )
    }))

  it('freezes idle workers and wakes frozen ones, each for one thing only', () =>
    holds((facts, { stop, pause = [], resume = [] }) => {
      const stateOf = (id: string) => facts.workers.find((worker) => worker.id === id)?.state
      expect(pause.filter((id) => stateOf(id) !== 'idle')).toEqual([])
      expect(resume.filter((id) => stateOf(id) !== 'paused')).toEqual([])
      const all = [...stop.map(({ workerId }) => workerId), ...pause, ...resume]
      expect(new Set(all).size).toBe(all.length)
      if (!facts.keepPausedMs) expect([...pause, ...resume]).toEqual([])
    }))

  it('starts no worker while a frozen one could resume', () =>
    holds((facts, decision) => {
      if (decision.start + decision.throttled === 0) return
      const frozen = facts.workers.filter(({ state }) => state === 'paused').map(({ id }) => id)
      const after = carriedOut(facts, decision).workers.filter(({ id }) => frozen.includes(id))
      expect(after.filter(({ state }) => state === 'paused')).toEqual([])
    }))

  it('never has more working and frozen workers than the maximum', () =>
    holds((facts, decision) => {
      const after = carriedOut(facts, decision)
      const frozen = after.workers.filter(({ state }) => state === 'paused').length
      expect(capacity(after).length + frozen).toBeLessThanOrEqual(facts.config.workersMax)
    }))

  it('kills no worker that has a job', () =>
    holds((facts, decision) => {
      const killed = decision.stop.filter(({ force }) => force).map(({ workerId }) => workerId)
      expect(facts.workers.filter((worker) => killed.includes(worker.id) && worker.jobs > 0)).toEqual([])
    }))

  it('is enough: carried out, it asks for nothing more at the same time', () =>
    holds((facts, decision) => {
      if (wakesWithoutWork(facts, decision)) return
      expect(toDo(decideScaling(carriedOut(facts, decision)))).toEqual(NOTHING)
    }))

  it('holds until its next check: nothing is due one ms before', () =>
    holds((facts, decision) => {
      if (wakesWithoutWork(facts, decision)) return
      const until = decision.nextCheckAt ?? facts.now + 10_000_000
      expect(until).toBeGreaterThan(facts.now)
      expect(toDo(decideScaling(later(carriedOut(facts, decision), until - 1)))).toEqual(NOTHING)
    }))

  it('is checked again only when something is due then', () =>
    holds((facts, decision) => {
      if (decision.nextCheckAt === undefined) return
      const next = decideScaling(later(carriedOut(facts, decision), decision.nextCheckAt))
      const { pause = [], resume = [] } = next
      const due = next.start + next.stop.length + next.throttled + pause.length + resume.length
      expect(due).toBeGreaterThan(0)
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
