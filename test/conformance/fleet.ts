/** What every implementation of the Fleet port must do, whatever it places its workers on. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Fleet, FleetWorker, WorkerExit, WorkerSpec } from '../../src-main/services/ports.ts'
import type { WorkerStep } from '../support/fake-fleet.ts'

/** A place for workers, and what the suite needs to know of one kind of it. */
export type FleetPlace = {
  /** Makes a driver on this place; a second one stands for the next run of the service. */
  readonly driver: (maxWorkers?: () => number) => Fleet
  /** The command of a worker that takes these steps. */
  readonly command: (steps: readonly WorkerStep[]) => string
  /** Lets a worker do its `onPoke` step, past all drivers. */
  readonly poke: (worker: FleetWorker) => void
  /** Ends a worker past all drivers. */
  readonly kill: (worker: FleetWorker) => void
  readonly lives: (worker: FleetWorker) => boolean
}

const PATIENCE_MS = 10_000
const GRACE_MS = 150
// Longer than any test waits.
const LONG_MS = 60_000

/** Waits until `look` no longer throws. */
export function until<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: PATIENCE_MS, interval: 5 })
}

/** A driver with what it told. */
export type Watched = {
  readonly fleet: Fleet
  readonly lines: (workerId: string) => readonly string[]
  readonly exits: readonly WorkerExit[]
}

/** Listens to a driver; it is closed when the test ends. */
export function watched(fleet: Fleet): Watched {
  const lines = new Map<string, string[]>()
  const exits: WorkerExit[] = []
  fleet.onOutput((output) => {
    lines.set(output.workerId, [...(lines.get(output.workerId) ?? []), ...output.lines])
    output.stored?.()
  })
  fleet.onExit((exit) => exits.push(exit))
  onTestFinished(() => fleet.close())
  return { fleet, lines: (workerId) => lines.get(workerId) ?? [], exits }
}

/** What a driver needs for a worker that runs this command. */
export function specOf(command: string | undefined, more: Partial<WorkerSpec> = {}): WorkerSpec {
  const workerId = randomBytes(7).toString('hex')
  return {
    workerId,
    endpointId: 'e',
    handler: undefined,
    command,
    cwd: undefined,
    python: 'python3',
    ...more,
    env: { RUNPOD_POD_ID: workerId, ...more.env },
  }
}

/** Runs the suite on one kind of place. */
export function describeFleet(name: string, makePlace: () => FleetPlace): void {
  function setup(maxWorkers?: () => number) {
    const place = makePlace()
    const first = watched(place.driver(maxWorkers))
    const start = (steps: readonly WorkerStep[], more: Partial<WorkerSpec> = {}) =>
      first.fleet.start(specOf(place.command(steps), more))
    // A worker is only led when it has said that it is up.
    const startUp = async (steps: readonly WorkerStep[]) => {
      const worker = await start([...steps, { print: 'up' }])
      await until(() => expect(first.lines(worker.workerId)).toContain('up'))
      return worker
    }
    return { place, ...first, start, startUp }
  }

  describe(`the ${name} fleet`, () => {
    it('starts a worker and lists it until it has ended', async () => {
      const { fleet, startUp, place, exits } = setup()
      expect(fleet.list()).toEqual([])
      const worker = await startUp([])
      expect(worker).toEqual({ workerId: worker.workerId, handle: expect.any(String), pid: expect.any(Number) })
      expect(fleet.list()).toEqual([worker])
      expect(place.lives(worker)).toBe(true)
      await fleet.stop(worker.workerId, GRACE_MS)
      expect(fleet.list()).toEqual([])
      expect(place.lives(worker)).toBe(false)
      expect(exits.map(({ workerId }) => workerId)).toEqual([worker.workerId])
    })

    it('gives a worker its environment', async () => {
      const { start, lines } = setup()
      const value = 'a value with "quotes", $DOLLARS and spaces'
      const { workerId } = await start([{ printEnv: 'MINE' }, { printEnv: 'RUNPOD_POD_ID' }], { env: { MINE: value } })
      await until(() => expect(lines(workerId)).toEqual([`MINE=${value}`, `RUNPOD_POD_ID=${workerId}`]))
    })

    it('keeps the workers apart', async () => {
      const { start, lines, fleet } = setup()
      const workers = await Promise.all(['a', 'b', 'c'].map((print) => start([{ print }])))
      await until(() => expect(workers.map(({ workerId }) => lines(workerId))).toEqual([['a'], ['b'], ['c']]))
      expect(
        fleet
          .list()
          .map(({ workerId }) => workerId)
          .sort(),
      ).toEqual(workers.map(({ workerId }) => workerId).sort())
    })

    it('tells of output line by line, in order, and of a last line without an end at the exit', async () => {
      const { start, lines, exits } = setup()
      const steps = Array.from({ length: 20 }, (_, n) => ({ print: `line ${n} ü` }))
      const { workerId } = await start([...steps, { print: '' }, { printUnended: 'the rest' }, { exit: 0 }])
      await until(() => expect(exits.length).toBe(1))
      expect(lines(workerId)).toEqual([...steps.map(({ print }) => print), '', 'the rest'])
    })

    it('has told of all output when it tells of the exit', async () => {
      const { fleet, start, lines } = setup()
      let atExit: readonly string[] | undefined
      fleet.onExit(({ workerId }) => {
        atExit = lines(workerId)
      })
      await start([{ print: 'a' }, { printUnended: 'b' }, { exit: 0 }])
      await until(() => expect(atExit).toEqual(['a', 'b']))
    })

    it('gives what was written so far without waiting when it is asked to', async () => {
      const { fleet, start, lines } = setup()
      const { workerId } = await start([{ print: 'a' }, { print: 'b' }, { printUnended: 'half' }])
      const giveUpAt = performance.now() + PATIENCE_MS
      // No turn of the event loop in here: nobody but drainOutput can deliver.
      while (lines(workerId).length < 2 && performance.now() < giveUpAt) fleet.drainOutput(workerId)
      expect(lines(workerId)).toEqual(['a', 'b'])
      fleet.drainOutput(workerId)
      fleet.drainOutput('nobody')
      expect(lines(workerId)).toEqual(['a', 'b'])
    })

    for (const [what, step, exit] of [
      ['code 0', { exit: 0 }, { code: 0, signal: undefined }],
      ['code 3', { exit: 3 }, { code: 3, signal: undefined }],
      ['SIGKILL', { die: 'SIGKILL' }, { code: undefined, signal: 'SIGKILL' }],
      ['SIGSEGV', { die: 'SIGSEGV' }, { code: undefined, signal: 'SIGSEGV' }],
    ] as const) {
      it(`tells of an end by ${what}, once`, async () => {
        const { start, exits, fleet } = setup()
        const { workerId } = await start([step])
        await until(() => expect(exits).toEqual([{ workerId, ...exit, reason: undefined }]))
        expect(fleet.list()).toEqual([])
        await fleet.stop(workerId, GRACE_MS)
        expect(exits.length).toBe(1)
      })
    }

    it('lets a worker that is stopped end by itself within the grace time', async () => {
      const { fleet, startUp, lines, exits } = setup()
      const { workerId } = await startUp([{ onTerm: { print: 'bye', exit: 7 } }])
      await fleet.stop(workerId, LONG_MS)
      expect(exits).toEqual([{ workerId, code: 7, signal: undefined, reason: undefined }])
      expect(lines(workerId)).toEqual(['up', 'bye'])
    })

    it('kills a worker that ignores the order when the grace time is over', async () => {
      const { fleet, startUp, exits, place } = setup()
      const worker = await startUp([{ ignore: 'SIGTERM' }])
      await fleet.stop(worker.workerId, GRACE_MS)
      expect(exits).toEqual([{ workerId: worker.workerId, code: undefined, signal: 'SIGKILL', reason: undefined }])
      expect(place.lives(worker)).toBe(false)
    })

    it('kills at once without a grace time', async () => {
      const { fleet, startUp, exits, lines } = setup()
      const { workerId } = await startUp([{ onTerm: { print: 'bye', exit: 7 } }])
      await fleet.stop(workerId, 0)
      expect(exits).toMatchObject([{ signal: 'SIGKILL' }])
      expect(lines(workerId)).toEqual(['up'])
    })

    it('can be told to stop a worker twice, and a second time with less patience', async () => {
      const { fleet, startUp, exits } = setup()
      const { workerId } = await startUp([{ ignore: 'SIGTERM' }])
      const patient = fleet.stop(workerId, LONG_MS)
      await Promise.all([patient, fleet.stop(workerId, GRACE_MS), fleet.stop(workerId, GRACE_MS)])
      await fleet.stop(workerId, GRACE_MS)
      expect(exits.length).toBe(1)
    })

    it('has nothing to do for a worker that it does not know', async () => {
      const { fleet, exits } = setup()
      await fleet.stop('nobody', GRACE_MS)
      await fleet.stop('nobody', 0)
      expect(exits).toEqual([])
    })

    it('says how many more workers find a place, and why not more', async () => {
      let most = 2
      const { fleet, startUp } = setup(() => most)
      expect(fleet.capacity()).toEqual({ free: 2, reason: undefined })
      const worker = await startUp([])
      await startUp([])
      const full = fleet.capacity()
      expect(full).toEqual({ free: 0, reason: expect.stringMatching(/2 of 2/) })
      most = 1
      expect(fleet.capacity().free).toBe(0)
      await fleet.stop(worker.workerId, 0)
      most = 2
      expect(fleet.capacity()).toEqual({ free: 1, reason: undefined })
    })

    it('ends all workers when it is closed', async () => {
      const { fleet, startUp, place } = setup()
      const workers = [await startUp([]), await startUp([{ ignore: 'SIGTERM' }])]
      await fleet.close()
      expect(workers.map((worker) => place.lives(worker))).toEqual([false, false])
      expect(fleet.list()).toEqual([])
    })

    describe('after a crash of the service', () => {
      it('adopts a worker that lives: its output, its end and its stop', async () => {
        const { place, startUp } = setup()
        const worker = await startUp([{ onPoke: 'poked' }])
        const next = watched(place.driver())
        expect(next.fleet.list()).toEqual([])
        expect(await next.fleet.adopt(worker)).toBe(true)
        expect(next.fleet.list()).toEqual([worker])
        expect(next.fleet.capacity().free).toBeGreaterThan(0)
        place.poke(worker)
        await until(() => {
          next.fleet.drainOutput(worker.workerId)
          expect(next.lines(worker.workerId)).toEqual(['poked'])
        })
        await next.fleet.stop(worker.workerId, GRACE_MS)
        expect(next.exits).toMatchObject([{ workerId: worker.workerId }])
        expect(place.lives(worker)).toBe(false)
      })

      it('sees the end of a worker that it adopted', async () => {
        const { place, startUp } = setup()
        const worker = await startUp([])
        const next = watched(place.driver())
        await next.fleet.adopt(worker)
        place.kill(worker)
        await until(() => expect(next.exits).toMatchObject([{ workerId: worker.workerId }]))
        expect(next.fleet.list()).toEqual([])
      })

      it('does not adopt a worker that is dead or was never there', async () => {
        const { place, startUp, exits } = setup()
        const worker = await startUp([])
        place.kill(worker)
        await until(() => expect(exits.length).toBe(1))
        const next = watched(place.driver())
        expect(await next.fleet.adopt(worker)).toBe(false)
        expect(await next.fleet.adopt({ ...worker, workerId: 'nobody' })).toBe(false)
        expect(next.fleet.list()).toEqual([])
      })

      it('sweeps away what nobody adopted, and leaves what somebody did', async () => {
        const { place, startUp } = setup()
        const [mine, left] = [await startUp([]), await startUp([{ ignore: 'SIGTERM' }])]
        const next = watched(place.driver())
        await next.fleet.adopt(mine)
        await next.fleet.sweep()
        await until(() => expect(place.lives(left)).toBe(false))
        expect(place.lives(mine)).toBe(true)
        expect(next.fleet.list()).toEqual([mine])
        await next.fleet.sweep()
        expect(place.lives(mine)).toBe(true)
      })
    })
  })
}
