/**
 * Renews this worker's leases from its own thread, so that a computing handler does not delay pings. The thread runs
 * this same file.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { createClient } from './http.ts'
import { fail } from './logs.ts'
import { pingTarget, type Settings } from './settings.ts'

export function startPings(settings: Settings): (jobIds: readonly string[]) => void {
  const thread = new Worker(new URL(import.meta.url), { workerData: settings })
  // Without pings the leases expire, and the service would stop this worker with a vaguer reason.
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
    // The next ping replaces a lost one; other channels log that the service is away.
    await ask({ target: pingTarget(settings, jobIds), timeoutMs: settings.pingIntervalMs * 2 }).catch(() => undefined)
  }
}

if (!isMainThread) await pingUntilTheEnd(workerData as Settings)
