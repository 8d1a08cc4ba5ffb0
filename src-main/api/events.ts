import type { Context } from 'hono'
import { AppError } from '../contract/errors.ts'
import type { ServiceEvent } from '../contract/events.ts'
import type { Change } from '../services/ports.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { followAsEvents } from './follow.ts'

const BATCH = 500

/**
 * GET /events: every change of jobs, workers and endpoints as server-sent events. The id of each is its number in the
 * event log; with Last-Event-ID nothing that is still in the log is missed or told twice. `?endpoint=` narrows it.
 * @throws AppError BAD_FIELD when Last-Event-ID is no number
 */
export function serveEvents(c: Context, { storage, stopping, bells }: ServiceContext): Response {
  const only = c.req.query('endpoint')
  const last = c.req.header('last-event-id') ?? c.req.query('lastEventId')
  if (last !== undefined && !/^\d{1,15}$/.test(last))
    throw new AppError('BAD_FIELD', { field: 'Last-Event-ID', why: 'must be the id of an event' })
  let cursor = last === undefined ? storage.events.lastId() : Number(last)
  return followAsEvents(c, {
    bell: bells.events,
    stopping,
    read() {
      const changes = storage.events.after(cursor, BATCH)
      cursor = changes.at(-1)?.eventId ?? cursor
      const wanted = changes.filter((change) => only === undefined || change.endpointId === only)
      const items = wanted.map((change) => ({
        id: change.eventId,
        event: change.type,
        data: JSON.stringify(toEvent(change)),
      }))
      return { items, more: changes.length === BATCH }
    },
  })
}

function toEvent(change: Change): ServiceEvent {
  const common = {
    at: change.at,
    endpointId: change.endpointId,
    ...(change.workerId === undefined ? {} : { workerId: change.workerId }),
    ...(change.reason === undefined ? {} : { reason: change.reason }),
  }
  if (change.type === 'job') {
    const from = change.from === undefined ? {} : { from: change.from }
    return {
      ...common,
      type: 'job',
      jobId: change.jobId,
      event: change.event,
      ...from,
      to: change.to,
      attempt: change.attempt,
    }
  }
  if (change.type === 'run') return { ...common, type: 'run', runId: change.runId, event: change.event }
  if (change.type === 'worker')
    return { ...common, type: 'worker', workerId: change.workerId ?? '', to: change.event } as ServiceEvent
  return { ...common, type: 'endpoint', event: change.event } as ServiceEvent
}
