/**
 * Clients of other queues, as their own libraries have it: a job is sent, and `send` waits until it has been completed.
 * The clients of a load share one connection, as in any program. Loaded where they are used alone: the libraries are
 * large.
 */
import { randomUUID } from 'node:crypto'
import { Queue, QueueEvents } from 'bullmq'
import { PgBoss } from 'pg-boss'
import type { Client, Request } from './clients.ts'

/** Channel on which workers of pg-boss say which job they have completed, in the transaction of that. */
export const DONE_CHANNEL = 'bench_done'

/** How pg-boss finds its server. Fewer connections than clients: it runs on two cores. */
export const pgBossOptions = (port: number) => ({
  host: '127.0.0.1',
  port,
  user: 'bench',
  database: 'postgres',
  max: 16,
  schedule: false,
})

/** Clients of BullMQ. @param path name of the queue */
export async function openBullmq(count: number, { port, path, body }: Request): Promise<readonly Client[]> {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
  const queue = new Queue(path, { connection })
  const events = new QueueEvents(path, { connection })
  for (const emitter of [queue, events]) emitter.setMaxListeners(0) // each client that waits listens
  await events.waitUntilReady()
  const data = JSON.parse(body)
  const close = onLast(count, async () => void (await Promise.all([queue.close(), events.close()])))
  return Array.from({ length: count }, () => ({
    async send() {
      const job = await queue.add('job', data)
      await job.waitUntilFinished(events)
    },
    close,
  }))
}

/** Clients of pg-boss, which has no call that waits for a job: workers notify as their completion commits. */
export async function openPgBoss(count: number, { port, path, body }: Request): Promise<readonly Client[]> {
  const boss = new PgBoss({ ...pgBossOptions(port), supervise: false })
  await boss.start()
  const waiting = new Map<string, () => void>()
  const onDone = (id: string) => {
    waiting.get(id)?.()
    waiting.delete(id)
  }
  const listener = await boss.getDb().listen?.(DONE_CHANNEL, onDone, () => undefined)
  const data = JSON.parse(body)
  const close = onLast(count, async () => {
    await listener?.close()
    await boss.stop()
  })
  return Array.from({ length: count }, () => ({
    async send() {
      const id = randomUUID()
      const done = new Promise<void>((resolve) => waiting.set(id, resolve))
      await boss.send(path, data, { id })
      await done
    },
    close,
  }))
}

function onLast(count: number, close: () => Promise<void>): () => void {
  let left = count
  return () => {
    left -= 1
    if (left === 0) void close()
  }
}
