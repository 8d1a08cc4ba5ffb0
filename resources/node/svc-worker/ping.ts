/**
 * Signs of life, so that the service keeps this worker's leases. They come from a thread of their own, so that a
 * handler that computes does not hold them up: one at every interval until the process ends. The thread runs this same
 * file.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { fail } from './exit.ts'
import { createClient } from './http.ts'
import { pingTarget, type Settings } from './settings.ts'

/** Starts the thread. @returns tells it which jobs run */
export function startPings(settings: Settings): (jobIds: readonly string[]) => void {
  const thread = new Worker(new URL(import.meta.url), { workerData: settings })
  // Without pings the leases run out, and the service would end this worker with less of a reason.
  thread.on('error', (error) => fail(`svc-worker: the thread of the pings ended\n${error.stack ?? error.message}`))
  return (jobIds) => thread.postMessage(jobIds)
}

async function pingUntilTheEnd(settings: Settings): Promise<never> {
  const ask = createClient(settings)
  let jobIds: readonly string[] = []
  parentPort?.on('message', (ids: readonly string[]) => {
    jobIds = ids
  })
  for (;;) {
    await pause(settings.pingIntervalMs)
    // A lost ping is made good by the next one; that the service is away is logged by the other channels.
    await ask({ target: pingTarget(settings, jobIds), timeoutMs: settings.pingIntervalMs * 2 }).catch(() => undefined)
  }
}

if (!isMainThread) await pingUntilTheEnd(workerData as Settings)
