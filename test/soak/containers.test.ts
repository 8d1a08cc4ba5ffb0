/** The faults of docs/spec/targets.md, 2, on containers, with all their runs; `npm run test:all` does a few of each. */
import { beforeEach, describe, test } from 'vitest'
import { forkInContainers, printInContainers, streamInContainers } from '../safety/hostile-containers.ts'
import { freezeContainers, killContainers, starveContainers } from '../safety/lose-containers.ts'
import { probeTheGateway } from '../safety/probe-the-gateway.ts'
import { restartTheEngine } from '../safety/restart-the-engine.ts'
import { dockerEngine, privateEngine } from '../support/docker-engine.ts'
import { soakFault } from './support/record-safety.ts'
import { DEAD_MS, SILENT_MS } from './time-limits.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

// Some minutes a run, in ms: 5,000 chunks a second.
const MILLION_LIMIT_MS = 60 * 60_000

describe('safety on containers', () => {
  test('2: a container is killed in the middle of a job', () =>
    soakFault({ row: 2, of: 100, limitMs: DEAD_MS }, (runs) => killContainers(engine, { runs })))

  test('3: containers are frozen past their lease', () =>
    soakFault({ row: 3, of: 50, limitMs: SILENT_MS }, (runs) => freezeContainers(engine, { runs })))

  test('4: the engine is restarted', async ({ skip, onTestFinished }) => {
    const own = await privateEngine()
    if ('why' in own) return skip(true, own.why)
    onTestFinished(own.stop)
    await soakFault({ row: 4, of: 20, limitMs: 10_000 }, (runs) => restartTheEngine(own, { runs }))
  })

  test('13: a container runs out of memory', () =>
    soakFault({ row: 13, of: 20 }, (runs) => starveContainers(engine, { runs })))

  test('22: a container prints without end', () =>
    soakFault({ row: 22, of: 5 }, (runs) => printInContainers(engine, { runs, lines: 10_000 })))

  test(
    '22: a container sends a million chunks',
    () => soakFault({ row: 22, of: 5 }, (runs) => streamInContainers(engine, { runs, past: 100 })),
    MILLION_LIMIT_MS,
  )

  test('22: a container forks without end', () =>
    soakFault({ row: 22, of: 5 }, (runs) => forkInContainers(engine, { runs })))

  test('22: a container probes the gateway', () =>
    soakFault({ row: 22, of: 5 }, (runs) => probeTheGateway(engine, { runs })))
})
