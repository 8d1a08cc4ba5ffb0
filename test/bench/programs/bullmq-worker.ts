/** A BullMQ worker in its own process; the result of a job is the moment its handler began. */
import { Worker } from 'bullmq'
import { machineMs } from '../support/machine-time.ts'

const worker = new Worker('bench', async () => machineMs(), {
  connection: { host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null },
})
await worker.waitUntilReady()
process.send?.('ready')
