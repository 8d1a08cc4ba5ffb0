/** The thread of the pings: one at every interval until the process ends. */
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from './http.ts'
import { pingTarget, type Settings } from './settings.ts'

const settings = workerData as Settings
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
