/**
 * The worker: takes jobs while there is room, runs them, and stops in order.
 *
 * States: taking -> closed (drain, or the worker is to be replaced) -> idle -> ended. Only `drain` leads out of the
 * process: a worker that is to be replaced takes nothing more and waits for the service to end it.
 */
import type { Job, Program } from './handler.ts'
import { createClient } from './http.ts'
import { createRunningJobs, toRunningJob } from './jobs.ts'
import { report } from './logs.ts'
import { startPings } from './ping.ts'
import { createPost } from './poster.ts'
import { runJob } from './run-job.ts'
import { createServiceWatch } from './service-watch.ts'
import type { Settings } from './settings.ts'
import { listenForStops } from './stop.ts'
import { createJobSource } from './take.ts'

/** One worker process's life after the user's file is imported. */
export type Worker = {
  /** Resolves when drained. */
  readonly run: () => Promise<void>
  /** Takes no further job; `run` resolves when the running ones have been posted. Safe to call twice. */
  readonly drain: () => void
}

/** Makes it; nothing is asked yet. */
export function createWorker(settings: Settings, program: Program): Worker {
  const limit = program.concurrency ?? settings.concurrency
  const ask = createClient(settings)
  const watch = createServiceWatch(settings.awayLimitMs)
  const source = createJobSource(settings, ask, watch)
  const runner = { program, settings, post: createPost(ask) }
  const jobs = createRunningJobs(startPings(settings))
  const draining = Promise.withResolvers<void>()

  function stopTaking(): void {
    source.close()
    jobs.wake()
  }

  async function start(job: Job): Promise<void> {
    const running = toRunningJob(job, settings, runner.post)
    if (!jobs.add(running)) {
      report(`job ${job.id} is running here already; the second delivery is ignored`, 'WARN')
      return
    }
    try {
      if (await runJob(runner, running)) {
        report('this worker will be replaced: finishing current jobs, then stopping', 'INFO')
        stopTaking()
      }
    } finally {
      jobs.remove(running)
    }
  }

  return {
    async run() {
      void listenForStops(settings, { ask, jobs, watch })
      while (!source.isClosed()) {
        await jobs.waitForRoom(limit)
        const free = limit - jobs.size()
        if (source.isClosed() || free < 1) continue
        for (const job of await source.take(free, jobs.size() > 0)) void start(job)
      }
      await jobs.waitUntilIdle()
      await draining.promise
    },
    drain() {
      report('finishing current jobs, then stopping', 'INFO')
      draining.resolve()
      stopTaking()
    },
  }
}
