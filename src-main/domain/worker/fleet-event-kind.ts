import type { WorkerState } from '../../contract/endpoint.ts'
import type { FleetEvent } from '../../contract/fleet-events.ts'

/** A recorded change of a worker, or of an endpoint. */
type RecordedChange =
  | { readonly type: 'endpoint'; readonly event: string }
  | { readonly type: 'worker'; readonly event: string; readonly from: WorkerState | undefined }

/**
 * What a person calls that which happened; source: ours.
 *
 * A worker that was asked to leave is 'stopping' before it ends. One that ends from any other state did so by itself,
 * whatever the reason says.
 * @param change - `event` of a worker is the state it went to, `from` the one it was in; undefined: it is new
 */
export function fleetEventKind(change: RecordedChange): FleetEvent['kind'] {
  if (change.type === 'endpoint') return change.event === 'activated' ? 'release' : 'endpoint'
  const { event, from } = change
  if (event === 'initializing' || event === 'stopping') return 'scale'
  if (event === 'unhealthy') return 'crash'
  return event === 'ended' && from !== 'stopping' ? 'crash' : 'worker'
}
