/** The faults of docs/spec/targets.md, 2, with all their runs; `npm run test:all` runs each a few times. */
import { describe, expect, test } from 'vitest'
import { startOnDamagedPages } from '../safety/damaged-pages.ts'
import { fillTheDisk } from '../safety/fill-the-disk.ts'
import { killBatches } from '../safety/kill-batches.ts'
import { killComfyJobs } from '../safety/kill-comfy-jobs.ts'
import { killOpenAiImages } from '../safety/kill-openai-images.ts'
import { killPrompts } from '../safety/kill-prompts.ts'
import { killServers } from '../safety/kill-servers.ts'
import { killTheService, olderNode } from '../safety/kill-the-service.ts'
import { freezeWorkers, killWorkers } from '../safety/lose-workers.ts'
import { printWithoutEnd } from '../safety/print-without-end.ts'
import { purgeBursts } from '../safety/purge-a-burst.ts'
import { startOnTakenPorts, startSecondServices } from '../safety/refuse-to-start.ts'
import { stopInOrder } from '../safety/stop-in-order.ts'
import { soakFault } from './support/record-safety.ts'
import { DEAD_MS, SILENT_MS } from './time-limits.ts'

// For tests with hundreds of starts of the service; ms.
const LONG_LIMIT_MS = 60 * 60_000

describe('safety', () => {
  // Source of the limit: docs/spec/targets.md, 2.1.
  test('1: the service is killed while 16 clients submit', () =>
    soakFault({ row: 1, of: 200, limitMs: 15_000 }, (runs) => killTheService({ runs })))

  test('1: its launcher is killed', async ({ skip }) => {
    const node = olderNode()
    if (node === undefined) return skip(true, 'no Node older than 24 is on the PATH')
    await soakFault({ row: 1, of: 50, limitMs: 15_000 }, (runs) => killTheService({ runs, options: { node } }))
  })

  // No row of the table.
  test('the service is killed in each state of a batch', () =>
    soakFault({ row: 0, of: 200 }, (runs) => killBatches({ runs })))

  test(
    'the service is killed while ComfyUI clients send prompts',
    () => soakFault({ row: 0, of: 200 }, (runs) => killPrompts({ runs })),
    LONG_LIMIT_MS,
  )

  test(
    'the service is killed while clients of Comfy API v2 send jobs',
    () => soakFault({ row: 0, of: 200 }, (runs) => killComfyJobs({ runs })),
    LONG_LIMIT_MS,
  )

  test(
    "the service is killed while OpenAI's clients make pictures",
    () => soakFault({ row: 0, of: 200 }, (runs) => killOpenAiImages({ runs })),
    LONG_LIMIT_MS,
  )

  test(
    'the service with three ComfyUI servers is killed while clients of Comfy API v2 send jobs',
    () => soakFault({ row: 0, of: 200 }, (runs) => killComfyJobs({ runs, servers: 3 })),
    LONG_LIMIT_MS,
  )

  test(
    "the service with three ComfyUI servers is killed while OpenAI's clients make pictures",
    () => soakFault({ row: 0, of: 200 }, (runs) => killOpenAiImages({ runs, servers: 3 })),
    LONG_LIMIT_MS,
  )

  test(
    'a ComfyUI server of several is killed while it runs a graph',
    () => soakFault({ row: 0, of: 200 }, (runs) => killServers({ runs })),
    LONG_LIMIT_MS,
  )

  test(
    'the service is killed while several ComfyUI servers run graphs',
    () => soakFault({ row: 0, of: 200 }, (runs) => killServers({ runs, ofService: true })),
    LONG_LIMIT_MS,
  )

  test('2: a worker is killed in the middle of a job', () =>
    soakFault({ row: 2, of: 100, limitMs: DEAD_MS }, (runs) => killWorkers({ runs })))

  test('3: workers are frozen past their lease', () =>
    soakFault({ row: 3, of: 50, limitMs: SILENT_MS }, (runs) => freezeWorkers({ runs })))

  test('6: the disk is full', ({ skip }) =>
    soakFault({ row: 6, of: 20 }, async (runs) => {
      const { why, ...figures } = await fillTheDisk({ runs })
      if (why !== undefined) skip(true, why)
      return figures
    }))

  test('8: a second service starts on the data folder', () =>
    soakFault({ row: 8, of: 10 }, (runs) => startSecondServices({ runs })))

  test('9: a port is taken', () => soakFault({ row: 9, of: 10 }, (runs) => startOnTakenPorts({ runs })))

  test('10: a burst of 10,000 jobs is purged', () =>
    soakFault({ row: 10, of: 10, limitMs: 1000 }, (runs) => purgeBursts({ runs })))

  test('12: SIGTERM with eight running jobs', () => soakFault({ row: 12, of: 20 }, (runs) => stopInOrder({ runs })))

  test('22: workers print without end', async () => {
    // Source of the limit: ours, for two cores that are both in use and nothing else on them.
    const fault = { row: 22, of: 5, limitMs: 1500 }
    const { largestBytes } = await soakFault(fault, (runs) => printWithoutEnd({ runs, lines: 10_000 }))
    // Source: ours, 8 MiB and what is written in 0.2 s at 1 GB/s.
    expect(largestBytes).toBeLessThan(8 * 1024 * 1024 + 200_000_000)
  })

  // No row of the table: pages all over a small database.
  test(
    'a database with damaged pages',
    () =>
      soakFault({ row: 0, of: 100 }, async (runs) => {
        const { pages, ...figures } = await startOnDamagedPages({ pages: runs, first: runs / 10 })
        return { runs: pages, ...figures }
      }),
    LONG_LIMIT_MS,
  )
})
