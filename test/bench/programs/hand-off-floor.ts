/**
 * Floor of `runsync`: a bare hono server between a client and a waiting worker. A request is stored as one row in a
 * commit of its own and passed to the worker; what the worker posts is the answer. With the argument `-` nothing is
 * stored. No key, no check, no lease, no state.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openFloorDatabase } from '../support/floor-database.ts'

type Work = { readonly id: string; readonly body: Buffer<ArrayBuffer> }

const file = process.argv[2] ?? '-'
const insert = file === '-' ? undefined : openFloorDatabase(file).insert
const waitingJobs: Work[] = []
const waitingWorkers: ((work: Work) => void)[] = []
const waitingClients = new Map<string, (answer: Buffer<ArrayBuffer>) => void>()
const JSON_TYPE = { 'content-type': 'application/json' }

async function bytesOf(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer<ArrayBuffer>[] = []
  for await (const part of incoming) parts.push(part)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>()
app.post('/runsync', async (c) => {
  const id = randomUUID()
  const body = await bytesOf(c.env.incoming)
  insert?.run(id, body.toString())
  const answer = new Promise<Buffer<ArrayBuffer>>((resolve) => waitingClients.set(id, resolve))
  const worker = waitingWorkers.shift()
  if (worker === undefined) waitingJobs.push({ id, body })
  else worker({ id, body })
  return new Response(await answer, { headers: JSON_TYPE })
})
app.get('/job-take/:worker', async () => {
  const { id, body } = waitingJobs.shift() ?? (await new Promise<Work>((resolve) => waitingWorkers.push(resolve)))
  // The body is {"input":...}: its rest follows the id.
  const job = Buffer.concat([Buffer.from(`{"id":"${id}",`), body.subarray(1)])
  return new Response(job, { headers: JSON_TYPE })
})
app.post('/job-done/:worker/:id', async (c) => {
  const body = await bytesOf(c.env.incoming)
  const id = c.req.param('id')
  waitingClients.get(id)?.(body)
  waitingClients.delete(id)
  return c.json({ ok: true })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port))
