/** The faults of targets.md on containers, with all their runs; `npm test` does a few of each. */
import { writeSync } from 'node:fs'
import { beforeEach, describe, test } from 'vitest'
import { forkInContainers, printInContainers, streamInContainers } from '../safety/hostile-containers.ts'
import { freezeContainers, killContainers, starveContainers } from '../safety/lose-containers.ts'
import { probeTheGateway } from '../safety/probe-the-gateway.ts'
import { restartTheEngine } from '../safety/restart-the-engine.ts'
import { dockerEngine, privateEngine } from '../support/docker-engine.ts'
import { atMost, DEAD_MS, SILENT_MS } from './time-limits.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

// Some minutes a run, in ms: 5,000 chunks a second.
const MILLION_LIMIT_MS = 60 * 60_000

// One line a row, for the closing note of a release.
const show = (row: number, figures: object) =>
  void writeSync(1, `safety ${row}, containers: ${JSON.stringify(figures)}\n`)

describe('safety on containers', () => {
  test('2: a container is killed in the middle of a job', async () =>
    show(2, atMost(DEAD_MS, await killContainers(engine, { runs: 100 }))))

  test('3: containers are frozen past their lease', async () =>
    show(3, atMost(SILENT_MS, await freezeContainers(engine, { runs: 50 }))))

  test('4: the engine is restarted', async ({ skip, onTestFinished }) => {
    const own = await privateEngine()
    if ('why' in own) return skip(true, own.why)
    onTestFinished(own.stop)
    show(4, await restartTheEngine(own, { runs: 20 }))
  })

  test('13: a container runs out of memory', async () => show(13, await starveContainers(engine, { runs: 20 })))

  test('22: a container prints without end', async () =>
    show(22, await printInContainers(engine, { runs: 5, lines: 10_000 })))

  test(
    '22: a container sends a million chunks',
    async () => show(22, await streamInContainers(engine, { runs: 5, past: 100 })),
    MILLION_LIMIT_MS,
  )

  test('22: a container forks without end', async () => show(22, await forkInContainers(engine, { runs: 5 })))

  test('22: a container probes the gateway', async () => show(22, await probeTheGateway(engine, { runs: 5 })))
})
