import type { Database } from 'better-sqlite3'
import type { WebhookDelivery } from '../../../contract/management.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../../database/queries.ts'
import type { Moment } from './job.ts'

export type DueDelivery = { readonly id: number; readonly seq: number; readonly url: string; readonly attempts: number }

export type DeliveryResult = {
  readonly delivered: boolean
  readonly status: number | undefined
  readonly error: string | undefined
  readonly nextAt: number | undefined
}

const COLUMNS = `
  id, url, state, attempts, updated_at AS updatedAt, next_at AS nextAt, last_status AS lastStatus,
  last_error AS lastError`

export function createWebhookStore(db: Database) {
  const query = queriesOf(db)
  const record = query<[object]>(`
    UPDATE webhook_deliveries
    SET state = @state, attempts = attempts + 1, next_at = @nextAt, last_status = @status, last_error = @error,
      updated_at = @now
    WHERE id = @id AND state = 'pending'`).run()
  const resend = query<[Moment & { readonly id: number }], RowOf<WebhookDelivery>>(`
    UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at = @steady, updated_at = @now
    WHERE id = @id AND state <> 'pending' RETURNING ${COLUMNS}`).one(withoutNulls<WebhookDelivery>)
  const read = query<[id: number], RowOf<WebhookDelivery>>(`
    SELECT ${COLUMNS} FROM webhook_deliveries WHERE id = ?`).one(withoutNulls<WebhookDelivery>)
  return {
    due: query<[steady: number, limit: number], DueDelivery>(`
      SELECT id, seq, url, attempts FROM webhook_deliveries WHERE state = 'pending' AND next_at <= ?
      ORDER BY next_at LIMIT ?`).all(),
    /** Steady ms. */
    nextDueAt: query<[], number | null>(`SELECT MIN(next_at) FROM webhook_deliveries WHERE state = 'pending'`).value(),
    record(id: number, { delivered, status, error, nextAt }: DeliveryResult, now: number) {
      const state = delivered ? 'delivered' : nextAt === undefined ? 'failed' : 'pending'
      record({ id, state, nextAt, status, error, now })
    },
    ofJob: query<[seq: number], RowOf<WebhookDelivery>>(`
      SELECT ${COLUMNS} FROM webhook_deliveries WHERE seq = ? ORDER BY id`).all(withoutNulls<WebhookDelivery>),
    resend: (id: number, { now, steady }: Moment) => resend({ id, now, steady }) ?? read(id),
  }
}
