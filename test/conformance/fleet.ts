/** Requirements for every implementation of the Fleet port, wherever it places workers. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Fleet, FleetWorker, WorkerExit, WorkerSpec } from '../../src-main/runtimes/port.ts'
import type { WorkerStep } from '../support/fake-fleet.ts'
import { PATIENCE_MS } from '../support/patience.ts'

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

export function specOf(command: string | undefined, more: Partial<WorkerSpec> = {}): WorkerSpec {
  const workerId = randomBytes(7).toString('hex')
  return {
    workerId,
    endpointId: 'e',
    handler: undefined,
    command,
    cwd: undefined,
    python: 'python3',
    container: undefined,
    loadBalanced: undefined,
    app: undefined,
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
      expect(worker).toMatchObject({ workerId: worker.workerId, handle: expect.any(String) })
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

    it('gives a load-balanced worker a port, and says where it is reached, also after a crash of the service', async () => {
      const { place, fleet, start, lines } = setup()
      const steps = [{ printEnv: 'PORT' }, { printEnv: 'PORT_HEALTH' }]
      const worker = await start(steps, { loadBalanced: { port: 8080, healthPort: 8081 } })
      const port = expect.any(Number)
      expect(worker.address).toEqual({ host: expect.any(String), port, healthPort: port })
      expect(worker.address?.port).not.toBe(worker.address?.healthPort)
      const given = [/^PORT=\d+$/, /^PORT_HEALTH=\d+$/].map((line) => expect.stringMatching(line))
      await until(() => expect(lines(worker.workerId)).toEqual(given))
      expect(fleet.list()).toEqual([worker])
      const next = watched(place.driver())
      expect(await next.fleet.adopt(worker)).toBe(true)
      expect(next.fleet.list()).toEqual([worker])
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

    it('tells when lines were written, so that they can be told apart by job', async () => {
      const { fleet, start } = setup()
      const times: number[] = []
      fleet.onOutput(({ lines, at, writtenAt }) => times.push(...(writtenAt ?? lines.map(() => at))))
      const before = Date.now()
      await start([{ print: 'a' }, { print: 'b' }])
      await until(() => expect(times).toHaveLength(2))
      for (const time of times) expect(time).toBeGreaterThanOrEqual(before)
      for (const time of times) expect(time).toBeLessThanOrEqual(Date.now())
    })

    it('has no output to give of a worker that it does not know', () => {
      const { fleet } = setup()
      fleet.drainOutput('nobody')
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

    it('freezes a worker, which does nothing until it is woken', async () => {
      const { fleet, startUp, place, lines } = setup()
      const worker = await startUp([{ onPoke: 'poked' }])
      await fleet.pause(worker.workerId)
      expect(fleet.list()).toEqual([worker])
      place.poke(worker)
      const other = await startUp([])
      await fleet.stop(other.workerId, 0)
      fleet.drainOutput(worker.workerId)
      expect(lines(worker.workerId)).toEqual(['up'])
      await fleet.resume(worker.workerId)
      await until(() => {
        fleet.drainOutput(worker.workerId)
        expect(lines(worker.workerId)).toEqual(['up', 'poked'])
      })
    })

    it('stops a frozen worker, which may still end by itself', async () => {
      const { fleet, startUp, exits, lines } = setup()
      const { workerId } = await startUp([{ onTerm: { print: 'bye', exit: 7 } }])
      await fleet.pause(workerId)
      await fleet.stop(workerId, LONG_MS)
      expect(exits).toEqual([{ workerId, code: 7, signal: undefined, reason: undefined }])
      expect(lines(workerId)).toEqual(['up', 'bye'])
    })

    it('has nothing to freeze or wake of a worker that it does not know', async () => {
      const { fleet } = setup()
      await fleet.pause('nobody')
      await fleet.resume('nobody')
      expect(fleet.list()).toEqual([])
    })

    it('starts a worker that was prepared, and throws away one that is not needed', async () => {
      const { fleet, place, lines, exits } = setup()
      const spec = specOf(place.command([{ print: 'up' }]))
      const unused = specOf(place.command([{ print: 'never' }]))
      await Promise.all([fleet.prepare(spec), fleet.prepare(unused)])
      expect(fleet.list()).toEqual([])
      expect(fleet.capacity({}).free).toBeGreaterThan(0)
      const worker = await fleet.start(spec)
      expect(fleet.list()).toEqual([worker])
      await until(() => expect(lines(worker.workerId)).toEqual(['up']))
      await fleet.stop(unused.workerId, GRACE_MS)
      expect(exits).toEqual([])
      expect(lines(unused.workerId)).toEqual([])
    })

    it('says where workers reach the service', async () => {
      const { fleet, place } = setup()
      const watch = { report: () => undefined, signal: new AbortController().signal }
      expect(await fleet.ensure(specOf(place.command([])), watch)).toEqual({
        workerUrl: expect.stringMatching(/^http:\/\/[^/]+:\d+$/),
        serviceUrl: expect.stringMatching(/^http:\/\/[^/]+:\d+$/),
      })
    })

    it('says how many more workers find a place, and why not more', async () => {
      let most = 2
      const { fleet, startUp } = setup(() => most)
      expect(fleet.capacity({})).toEqual({ free: 2, reason: undefined })
      const worker = await startUp([])
      await startUp([])
      const full = fleet.capacity({})
      expect(full).toEqual({ free: 0, reason: expect.stringMatching(/2 of 2/) })
      most = 1
      expect(fleet.capacity({}).free).toBe(0)
      await fleet.stop(worker.workerId, 0)
      most = 2
      expect(fleet.capacity({})).toEqual({ free: 1, reason: undefined })
    })

    it('refuses no worker that could run here, also while all places are taken', async () => {
      const { fleet, startUp } = setup(() => 1)
      expect(await fleet.refusal({})).toBeUndefined()
      await startUp([])
      expect(fleet.capacity({}).free).toBe(0)
      expect(await fleet.refusal({})).toBeUndefined()
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
        expect(next.fleet.capacity({}).free).toBeGreaterThan(0)
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

      it('adopts a frozen worker and wakes it', async () => {
        const { place, fleet, startUp } = setup()
        const worker = await startUp([{ onPoke: 'poked' }])
        await fleet.pause(worker.workerId)
        const next = watched(place.driver())
        expect(await next.fleet.adopt(worker)).toBe(true)
        place.poke(worker)
        await until(() => {
          next.fleet.drainOutput(worker.workerId)
          expect(next.lines(worker.workerId)).toEqual(['poked'])
        })
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

      it('removes workers that were not adopted and keeps adopted ones', async () => {
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

    it('refuses a shell into a worker that it does not run', async () => {
      const { fleet } = setup()
      const listener = { onBytes: () => undefined, onEnd: () => undefined }
      await expect(fleet.openShell('nobody', { columns: 80, rows: 24 }, listener)).rejects.toThrow(/^it /)
    })

    it('says what its workers use, and nothing of others', async () => {
      const { fleet, startUp } = setup()
      const { workerId } = await startUp([])
      const usage = await fleet.usage([workerId, 'nobody'])
      expect([...usage]).toEqual([[workerId, expect.objectContaining({ memoryBytes: expect.any(Number) })]])
    })
  })
}
