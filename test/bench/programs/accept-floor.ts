/** Floor of `run`: a bare hono server that stores the body as one row, durably, in groups, and answers with an id. */
import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openFloorDatabase } from '../support/floor-database.ts'

const { db, insert } = openFloorDatabase(process.argv[2] ?? '')
let pending: { readonly id: string; readonly body: string; readonly stored: () => void }[] = []

const commit = db.transaction((rows: typeof pending) => {
  for (const { id, body } of rows) insert.run(id, body)
})

function flush(): void {
  const rows = pending
  pending = []
  commit.immediate(rows)
  for (const { stored } of rows) stored()
}

function store(id: string, body: string): Promise<void> {
  if (pending.length === 0) setImmediate(flush)
  return new Promise((stored) => pending.push({ id, body, stored }))
}

const app = new Hono()
app.post('/run', async (c) => {
  const id = randomUUID()
  await store(id, await c.req.text())
  return c.json({ id, status: 'IN_QUEUE' })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port))
