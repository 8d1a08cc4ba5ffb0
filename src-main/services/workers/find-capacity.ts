import type { EndpointConfig } from '../../contract/endpoint.ts'
import { faultReason } from '../../domain/worker/faults.ts'
import type { Fleet } from '../ports.ts'

const NOWHERE = { free: 0, reason: undefined }
// Somebody turns the switch off, as a region has places again.
const THROTTLED = { free: 0, reason: faultReason('throttle') }

/** How many more workers of an endpoint find a place, and why not more; undefined settings: it is gone. */
export function findCapacity(
  fleet: Pick<Fleet, 'capacity'>,
  config: EndpointConfig | undefined,
): ReturnType<Fleet['capacity']> {
  if (config === undefined) return NOWHERE
  return config.faults?.throttle === true ? THROTTLED : fleet.capacity(config)
}
