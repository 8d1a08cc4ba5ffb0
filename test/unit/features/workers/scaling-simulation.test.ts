import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyConfig } from './scaling-support.ts'
import { type Scenario, type SimulatedJob, simulate } from './simulate-fleet.ts'

const config: Scenario['config'] = {
  workersMin: 1,
  workersMax: 5,
  idleTimeoutMs: 5000,
  concurrency: 1,
  scaler: { type: 'QUEUE_DELAY', value: 4 },
  initializingTimeoutMs: 60_000,
}
const burst = (count: number, fields: Partial<SimulatedJob> = {}): SimulatedJob[] =>
  Array.from({ length: count }, () => ({ arrivesAt: 10_000, runsMs: 2000, ...fields }))
const run = (fields: Partial<Scenario>) =>
  simulate({ config, jobs: [], coldStartMs: 3000, untilMs: 600_000, ...fields })

describe('a fleet over time', () => {
  it('a burst of 100 jobs adds a worker each 4 s up to the maximum; it ends at the minimum', () => {
    const course = run({ jobs: burst(100) })
    expect(course.starts).toEqual([0, 14_000, 18_000, 22_000, 26_000])
    expect({ done: course.done, live: course.sizes.map(({ live }) => live) }).toEqual({
      done: 100,
      live: [1, 2, 3, 4, 5, 4, 3, 1],
    })
    // The last two leave together, one idle timeout after its last job.
    expect(course.sizes.at(-1)).toEqual({ at: course.finishedAt + config.idleTimeoutMs, live: 1 })
  })

  it('a burst of 100 jobs by count is at the maximum at once', () => {
    const course = run({ jobs: burst(100), config: { ...config, scaler: { type: 'REQUEST_COUNT', value: 4 } } })
    expect({ starts: course.starts, done: course.done, last: course.sizes.at(-1)?.live }).toEqual({
      starts: [0, 10_000, 10_000, 10_000, 10_000],
      done: 100,
      last: 1,
    })
  })

  it('a burst of low priority runs on the minimum alone', () => {
    const course = run({ jobs: burst(50, { lowPriority: true }) })
    expect({ starts: course.starts, lowDone: course.lowDone }).toEqual({ starts: [0], lowDone: 50 })
  })

  it('low priority is run by workers that normal work started, before they leave', () => {
    const jobs = [...burst(20), ...burst(20, { lowPriority: true })]
    const course = run({ jobs, config: { ...config, workersMin: 0 } })
    expect({ starts: course.starts.length, ends: course.sizes.at(-1)?.live, lowDone: course.lowDone }).toEqual({
      starts: 5,
      ends: 0,
      lowDone: 20,
    })
  })

  it('a slow cold start is not answered with more workers than jobs', () => {
    const course = run({ jobs: burst(2), coldStartMs: 50_000, config: { ...config, workersMin: 0 } })
    expect({ starts: course.starts, done: course.done }).toEqual({ starts: [10_000, 14_000], done: 2 })
  })

  it('a steady trickle keeps one worker and does not flap', () => {
    const jobs = Array.from({ length: 100 }, (_, n) => ({ arrivesAt: n * 3000, runsMs: 1000 }))
    const course = run({ jobs, config: { ...config, workersMin: 0 } })
    expect({ starts: course.starts, done: course.done, ends: course.sizes.at(-1)?.live }).toEqual({
      starts: [0],
      done: 100,
      ends: 0,
    })
  })

  it('a worker that crashes at its start is tried less and less often', () => {
    const course = run({
      jobs: burst(3, { arrivesAt: 0 }),
      crashAfterMs: 500,
      untilMs: 240_000,
      config: { ...config, workersMin: 0 },
    })
    const gaps = course.starts.slice(1).map((at, n) => at - (course.starts[n] ?? 0))
    expect(gaps).toEqual([1500, 2500, 4500, 8500, 16_500, 32_500, 60_500, 60_500])
  })

  it('few places are a smaller maximum', () => {
    const course = run({ jobs: burst(100), places: 2 })
    expect({ most: Math.max(...course.sizes.map(({ live }) => live)), done: course.done }).toEqual({
      most: 2,
      done: 100,
    })
  })

  const anyJob = fc.record({
    arrivesAt: fc.nat(60_000),
    runsMs: fc.integer({ min: 1, max: 20_000 }),
    lowPriority: fc.boolean(),
  })
  const anyScenario = fc
    .record({
      config: anyConfig,
      jobs: fc.array(anyJob, { maxLength: 40 }),
      coldStartMs: fc.integer({ min: 1, max: 900 }),
    })
    .map((fields): Scenario => ({ ...fields, untilMs: 2_000_000 }))

  it('whatever arrives, the fleet stays within its bounds, ends at its minimum, and finishes every normal job', () => {
    fc.assert(
      fc.property(anyScenario, (scenario) => {
        const course = simulate(scenario)
        const { workersMin, workersMax } = scenario.config
        expect(course.sizes.filter(({ live }) => live < workersMin || live > workersMax)).toEqual([])
        const normal = workersMax === 0 ? 0 : scenario.jobs.filter((job) => !job.lowPriority).length
        expect(course.done - course.lowDone).toBe(normal)
        if (workersMin > 0 || course.lowDone > 0) expect(course.sizes.at(-1)?.live ?? 0).toBe(workersMin)
      }),
      { numRuns: 150 },
    )
  })

  it('whatever arrives, flapping is bounded: a start beyond the minimum has a waiting job of its own', () => {
    fc.assert(
      fc.property(anyScenario, (scenario) => {
        const course = simulate(scenario)
        const normal = scenario.jobs.filter((job) => !job.lowPriority).length
        const perJob = scenario.config.scaler.type === 'REQUEST_COUNT' ? scenario.config.workersMax : 1
        expect(course.starts.length).toBeLessThanOrEqual(scenario.config.workersMin + normal * perJob)
        // Each event asks once, each change once more: nothing turns in circles.
        expect(course.decisions).toBeLessThanOrEqual(20 + 10 * (scenario.jobs.length + course.starts.length))
      }),
      { numRuns: 150 },
    )
  })
})
