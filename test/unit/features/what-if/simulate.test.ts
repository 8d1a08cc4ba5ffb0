import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type EndpointConfig, endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { seededRandom } from '../../../../src-main/features/what-if/rules/load-patterns.ts'
import type { Scenario, SimulatedJob, World } from '../../../../src-main/features/what-if/rules/scenario.ts'
import type { simulate as Simulate } from '../../../../src-main/features/what-if/rules/simulate.ts'
import type * as Scaling from '../../../../src-main/features/workers/rules/scaling.ts'

// The decisions as they are, until a test changes one.
vi.mock('../../../../src-main/features/workers/rules/scaling.ts', { spy: true })

// Loaded anew: files share a process, and another one may have loaded both with decisions that nobody can change.
let simulate: typeof Simulate
let scaling: typeof Scaling
beforeAll(async () => {
  vi.resetModules()
  simulate = (await import('../../../../src-main/features/what-if/rules/simulate.ts')).simulate
  scaling = await import('../../../../src-main/features/workers/rules/scaling.ts')
})

const WORLD: World = { coldStartMs: [3000], stopMs: [100], turnaroundMs: 0, slowdown: [1], slots: 100 }

function run(
  config: Partial<EndpointConfig>,
  jobs: readonly SimulatedJob[],
  { world = {}, ...rest }: Partial<Omit<Scenario, 'world'>> & { readonly world?: Partial<World> } = {},
) {
  const whole = endpointConfig.parse({ name: 'x', handler: '/x.py', workersMax: 1, ...config })
  const scenario = { config: whole, jobs, spanMs: 0, random: seededRandom(1), ...rest }
  const { waits, ...course } = simulate({ ...scenario, world: { ...WORLD, ...world } })
  return { ...course, waits: [...waits] }
}

const job = (at: number, executionMs = 1000, more: Partial<SimulatedJob> = {}): SimulatedJob => ({
  at,
  executionMs,
  ...more,
})

afterEach(() => void vi.mocked(scaling.decideScaling).mockReset())

describe('a simulation', () => {
  it('lets the first job wait for the cold start and the next ones for the worker', () => {
    const course = run({ idleTimeoutMs: 5000 }, [job(0), job(0), job(0)])
    expect(course).toMatchObject({ waits: [3000, 4000, 5000], coldStarts: 1, coldJobs: 3, unserved: 0 })
    // Cold start, three jobs, the idle time, and the end of the process.
    expect(course.workerMs).toBe(3000 + 3000 + 5000 + 100)
  })

  it('starts a worker anew when the idle time is over, and not a moment before', () => {
    const idleEnds = 4000 + 5000
    expect(run({ idleTimeoutMs: 5000 }, [job(0), job(idleEnds - 1)]).coldStarts).toBe(1)
    expect(run({ idleTimeoutMs: 5000 }, [job(0), job(idleEnds + 1)]).coldStarts).toBe(2)
  })

  it('has the minimum of workers warm from the start, and counts what it costs apart', () => {
    const course = run({ workersMin: 1 }, [job(0), job(5000)], { spanMs: 10_000 })
    expect(course).toMatchObject({ waits: [0, 0], coldStarts: 0, coldJobs: 0, workerMs: 10_000, alwaysOnMs: 10_000 })
  })

  it('adds workers as the scaler says', () => {
    const jobs = Array.from({ length: 6 }, () => job(0, 10_000))
    const byCount = run({ workersMax: 3, scaler: { type: 'REQUEST_COUNT', value: 2 } }, jobs)
    expect(byCount).toMatchObject({ coldStarts: 3 })
    // The first job is decided on alone, the others 20 ms later.
    expect(Math.max(...byCount.waits)).toBe(13_020)
    const byDelay = run({ workersMax: 3, scaler: { type: 'QUEUE_DELAY', value: 4 } }, jobs)
    expect(Math.max(...byDelay.waits)).toBeGreaterThan(13_000)
  })

  it('dispatches as many jobs at once as the concurrency allows, and slows them as measured', () => {
    const jobs = Array.from({ length: 4 }, () => job(0))
    expect(run({ concurrency: 2 }, jobs).waits).toEqual([3000, 3000, 4000, 4000])
    const slowed = run({ concurrency: 4 }, jobs, { world: { slowdown: [1, 2, 3, 4] } })
    expect(slowed.waits).toEqual([3000, 3000, 3000, 3000])
    expect(slowed.workerMs).toBe(3000 + 4000 + 5000 + 100)
  })

  it('takes normal priority before low priority', () => {
    const course = run({}, [job(0), job(1, 1000, { lowPriority: true }), job(2)])
    expect(course.waits).toEqual([3000, 3998, 4999])
  })

  it('takes a higher priority first, and in each what came first; low priority stays behind all', () => {
    const course = run({}, [
      job(0),
      job(1, 1000, { priority: -1 }),
      job(2, 1000, { priority: 5 }),
      job(3, 1000, { priority: 5 }),
      job(4, 1000, { priority: 100, lowPriority: true }),
    ])
    expect(course.waits).toEqual([2998, 3997, 5000, 5999, 6996])
  })

  it('counts the wait of the oldest job for the scaler, though a higher priority passes it', () => {
    // One of them always waits while another runs, and none for long.
    const passing = Array.from({ length: 8 }, (_one, n) => job(3900 + 900 * Math.max(0, n - 1), 900, { priority: 1 }))
    const jobs = [job(0), job(3100), ...passing]
    const withDelay = run({ workersMax: 2, scaler: { type: 'QUEUE_DELAY', value: 4 } }, jobs)
    // The second worker is ordered 4 s after the oldest one came, and not when that is the first in the line: at 11.2 s.
    expect(Math.max(...withDelay.waits)).toBe(10_300 - 3100)
  })

  it('queues the job of a lost worker again, at its place, as often as the endpoint allows', () => {
    const lost = [job(0), job(1, 1000, { lostAfterMs: [500] }), job(2)]
    const again = run({ redispatches: 1 }, lost)
    expect(again).toMatchObject({ coldStarts: 2, abandoned: 0, unserved: 0 })
    expect(again.waits).toHaveLength(3)
    expect(run({ redispatches: 0 }, lost)).toMatchObject({ abandoned: 1, unserved: 0 })
  })

  it('waits between starts that crash, as the service does', () => {
    // Not one job was done before the worker was lost.
    const course = run({ redispatches: 2 }, [job(0, 1000, { lostAfterMs: [0, 0] })], { world: { coldStartMs: [100] } })
    expect(course.coldStarts).toBe(3)
    expect(course.workerMs).toBe(100 + 100 + 100 + 1000 + 5000 + 100)
    expect(course.waits[0]).toBe(2000 + 100)
  })

  it('leaves jobs unserved where no worker may start, and ends all the same', () => {
    expect(run({}, [job(0), job(10)], { world: { slots: 0 } })).toMatchObject({ unserved: 2, coldStarts: 0, waits: [] })
    const neverReady = run({ initializingTimeoutMs: 1000 }, [job(0)])
    expect(neverReady).toMatchObject({ unserved: 1, coldStarts: 0, waits: [] })
  })

  it('follows fault switches', () => {
    expect(run({ faults: { coldStart: true }, workersMax: 3 }, [job(0), job(0), job(0)]).coldStarts).toBe(3)
    expect(run({ faults: { delayMs: 5000 } }, [job(0)]).waits).toEqual([5000])
    expect(run({ faults: { throttle: true } }, [job(0)]).unserved).toBe(1)
  })

  it('pauses containers and wakes them without a cold start', () => {
    const container = { image: 'x', keepPausedMs: 60_000 }
    const settings = { handler: undefined, container: container as never, idleTimeoutMs: 1000 }
    const course = run(settings, [job(0), job(30_000)])
    expect(course).toMatchObject({ coldStarts: 1, waits: [3000, 0] })
    expect(course.workerMs).toBeLessThan(10_000)
  })

  it('gives the same course for the same seed', () => {
    const jobs = Array.from({ length: 500 }, (_, n) => job(n * 300, 200 + ((n * 37) % 400)))
    const once = () => run({ workersMax: 3 }, jobs, { world: { coldStartMs: [1000, 2000, 4000], stopMs: [10, 200] } })
    expect(once()).toEqual(once())
  })

  it('predicts something else when a rule of scaling changes', () => {
    const jobs = Array.from({ length: 20 }, (_, n) => job(n * 500, 2000))
    const before = run({ workersMax: 4 }, jobs)
    // A rule that starts all workers that are allowed at the first job.
    vi.mocked(scaling.decideScaling).mockImplementation((facts) => {
      const missing = facts.config.workersMax - facts.workers.length
      return { start: facts.queue.normal > 0 ? missing : 0, stop: [], throttled: 0, wanted: 4 }
    })
    const after = run({ workersMax: 4 }, jobs)
    expect(after.coldStarts).toBe(4)
    expect(Math.max(...after.waits)).toBeLessThan(Math.max(...before.waits))
  })
})
