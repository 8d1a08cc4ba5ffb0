/** The faults of targets.md with all their runs; `npm test` does a few of each. */
import { writeSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startOnDamagedPages } from '../safety/damaged-pages.ts'
import { fillTheDisk } from '../safety/fill-the-disk.ts'
import { killTheService, olderNode } from '../safety/kill-the-service.ts'
import { freezeWorkers, killWorkers } from '../safety/lose-workers.ts'
import { printWithoutEnd } from '../safety/print-without-end.ts'
import { purgeBursts } from '../safety/purge-a-burst.ts'
import { startOnTakenPorts, startSecondServices } from '../safety/refuse-to-start.ts'
import { stopInOrder } from '../safety/stop-in-order.ts'
import { atMost, DEAD_MS, SILENT_MS } from './time-limits.ts'

// One line a row, for the closing note of a release.
const show = (row: number, figures: object) => void writeSync(1, `safety ${row}: ${JSON.stringify(figures)}\n`)

describe('safety', () => {
  test('1: the service is killed while 16 clients submit', async () => show(1, await killTheService({ runs: 200 })))

  test('1: its launcher is killed', async ({ skip }) => {
    const node = olderNode()
    if (node === undefined) return skip(true, 'no Node older than 24 is on the PATH')
    show(1, await killTheService({ runs: 50, options: { node } }))
  })

  test('2: a worker is killed in the middle of a job', async () =>
    show(2, atMost(DEAD_MS, await killWorkers({ runs: 100 }))))

  test('3: workers are frozen past their lease', async () =>
    show(3, atMost(SILENT_MS, await freezeWorkers({ runs: 50 }))))

  test('6: the disk is full', async ({ skip }) => {
    const figures = await fillTheDisk({ runs: 20 })
    if (figures.why !== undefined) return skip(true, figures.why)
    show(6, figures)
  })

  test('8: a second service starts on the data folder', async () => show(8, await startSecondServices({ runs: 10 })))

  test('9: a port is taken', async () => show(9, await startOnTakenPorts({ runs: 10 })))

  test('10: a burst of 10,000 jobs is purged', async () => show(10, await purgeBursts({ runs: 10 })))

  test('12: SIGTERM with eight running jobs', async () => show(12, await stopInOrder({ runs: 20 })))

  test('22: workers print without end', async () => {
    const figures = await printWithoutEnd({ runs: 5, lines: 10_000 })
    // Source: ours, for two cores that are both in use and nothing else on them.
    expect(figures.slowestMs).toBeLessThan(1500)
    // Source: ours, 8 MiB and what is written in 0.2 s at 1 GB/s.
    expect(figures.largestBytes).toBeLessThan(8 * 1024 * 1024 + 200_000_000)
    show(22, figures)
  })

  // No row of the table: every page of a small database.
  test('a database with damaged pages', async () => show(0, await startOnDamagedPages({ pages: 1000 })))
})
