/** Signs of life, so that the service keeps this worker's leases; from a thread of their own beside handlers that compute. */
import { Worker } from 'node:worker_threads'
import { fail } from './exit.ts'
import type { Settings } from './settings.ts'

/** Starts the thread. @returns tells it which jobs run */
export function startPings(settings: Settings): (jobIds: readonly string[]) => void {
  const thread = new Worker(new URL('ping-thread.ts', import.meta.url), { workerData: settings })
  // Without pings the leases run out, and the service would end this worker with less of a reason.
  thread.on('error', (error) => fail(`svc-worker: the thread of the pings ended\n${error.stack ?? error.message}`))
  return (jobIds) => thread.postMessage(jobIds)
}
