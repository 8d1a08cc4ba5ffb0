/**
 * States: taking -> closed (draining or to be replaced) -> idle -> ended. Only `drain` exits; a worker to be replaced
 * waits for the service.
 */
import { createJobSource, listenForStops } from './channels.ts'
import type { Job, Program } from './handler.ts'
import { createClient } from './http.ts'
import { createRunningJobs, toRunningJob } from './jobs.ts'
import { report } from './logs.ts'
import { startPings } from './ping.ts'
import { createPost } from './poster.ts'
import { runJob } from './run-job.ts'
import { createServiceWatch } from './service-watch.ts'
import type { Settings } from './settings.ts'

export function createWorker(settings: Settings, program: Program) {
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
    /** Takes no more jobs; `run` resolves once running ones are posted. Safe to call twice. */
    drain() {
      report('finishing current jobs, then stopping', 'INFO')
      draining.resolve()
      stopTaking()
    },
  }
}
