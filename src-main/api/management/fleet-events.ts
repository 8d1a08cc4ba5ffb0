import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { type FleetEvent, fleetEvent } from '../../contract/fleet-events.ts'
import { limit } from '../../contract/limits.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const KINDS = fleetEvent.shape.kind.options
// The plain moves of workers are many, and what made them is a kind of its own.
const USUAL_KINDS = KINDS.filter((kind) => kind !== 'worker')

/** What happened to endpoints, workers and releases. */
export const FLEET_EVENT_OPERATIONS = {
  fleetEventList(c, { storage }) {
    const { query } = APP_ROUTES.fleetEventList
    const events = storage.events.fleet({
      kinds: kindsIn(queryValue(c, 'kinds', query.kinds)),
      endpointId: queryValue(c, 'endpoint', query.endpoint),
      from: queryValue(c, 'from', query.from) ?? 0,
      to: queryValue(c, 'to', query.to) ?? Number.MAX_SAFE_INTEGER,
      before: queryValue(c, 'before', query.before) ?? Number.MAX_SAFE_INTEGER,
      limit: queryValue(c, 'limit', query.limit) ?? limit('listPage'),
    })
    return c.json({ events: [...events] })
  },
} as const satisfies Record<string, AppHandler>

function kindsIn(text: string | undefined): readonly FleetEvent['kind'][] {
  if (text === undefined || text === '') return USUAL_KINDS
  const named = text.split(',')
  const unknown = named.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined)
    throw new AppError('BAD_FIELD', { field: 'kinds', why: `has no kind ${unknown}; there are ${KINDS.join(', ')}` })
  return KINDS.filter((kind) => named.includes(kind))
}
