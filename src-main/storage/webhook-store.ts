import type { Database } from 'better-sqlite3'
import type { WebhookDelivery } from '../contract/management.ts'
import type { DueDelivery, WebhookStore } from '../services/ports/storage.ts'

const COLUMNS = `
  id, url, state, attempts, next_at AS nextAt, last_status AS lastStatus, last_error AS lastError, updated_at AS updatedAt`
const DUE = `
  SELECT id, seq, url, attempts FROM webhook_deliveries WHERE state = 'pending' AND next_at <= ? ORDER BY next_at LIMIT ?`
const NEXT = `SELECT MIN(next_at) AS nextAt FROM webhook_deliveries WHERE state = 'pending'`
const RECORD = `
  UPDATE webhook_deliveries
  SET state = @state, attempts = attempts + 1, next_at = @nextAt, last_status = @status, last_error = @error, updated_at = @now
  WHERE id = @id AND state = 'pending'`
const OF_JOB = `SELECT ${COLUMNS} FROM webhook_deliveries WHERE seq = ? ORDER BY id`
const RESEND = `
  UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at = @steady, updated_at = @now
  WHERE id = @id AND state <> 'pending' RETURNING ${COLUMNS}`
const READ = `SELECT ${COLUMNS} FROM webhook_deliveries WHERE id = ?`

type Row = Omit<WebhookDelivery, 'nextAt' | 'lastStatus' | 'lastError'> & {
  nextAt: number | null
  lastStatus: number | null
  lastError: string | null
}

/** Makes the durable queue of webhook deliveries. Rows are added by the move that ends a job. */
export function createWebhookStore(db: Database): WebhookStore {
  const due = db.prepare<[number, number], DueDelivery>(DUE)
  const next = db.prepare<[], { nextAt: number | null }>(NEXT)
  const record = db.prepare(RECORD)
  const ofJob = db.prepare<[number], Row>(OF_JOB)
  const resend = db.prepare<[object], Row>(RESEND)
  const read = db.prepare<[number], Row>(READ)
  return {
    due: (steady, limit) => due.all(steady, limit),
    nextDueAt: () => next.get()?.nextAt ?? undefined,
    record(id, { delivered, status, error, nextAt }, now) {
      const state = delivered ? 'delivered' : nextAt === undefined ? 'failed' : 'pending'
      record.run({ id, state, nextAt: nextAt ?? null, status: status ?? null, error: error ?? null, now })
    },
    ofJob: (seq) => ofJob.all(seq).map(toDelivery),
    resend(id, { now, steady }) {
      const row = resend.get({ id, now, steady }) ?? read.get(id)
      return row === undefined ? undefined : toDelivery(row)
    },
  }
}

function toDelivery({ nextAt, lastStatus, lastError, ...row }: Row): WebhookDelivery {
  return {
    ...row,
    ...(nextAt === null ? {} : { nextAt }),
    ...(lastStatus === null ? {} : { lastStatus }),
    ...(lastError === null ? {} : { lastError }),
  }
}
