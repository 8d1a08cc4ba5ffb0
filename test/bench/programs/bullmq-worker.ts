/**
 * A BullMQ worker in its own process; the result of a job is the moment its handler began. Arguments: port of Redis, jobs
 * at once.
 */
import { Worker } from 'bullmq'
import { machineMs } from '../support/machine-time.ts'

const worker = new Worker('bench', async () => machineMs(), {
  connection: { host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null },
  concurrency: Number(process.argv[3] ?? 1),
})
await worker.waitUntilReady()
process.send?.('ready')
