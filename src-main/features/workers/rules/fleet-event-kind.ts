import type { WorkerState } from '../../../contract/endpoint.ts'
import type { FleetEvent } from '../../../contract/fleet-events.ts'

type RecordedChange =
  | { readonly type: 'endpoint'; readonly event: string }
  | { readonly type: 'worker'; readonly event: string; readonly from: WorkerState | undefined }

/**
 * Source: ours. A requested exit passes 'stopping'; an exit from another state was the worker's own, whatever its
 * reason.
 * @param change `from` undefined: a new worker
 */
export function fleetEventKind(change: RecordedChange): FleetEvent['kind'] {
  if (change.type === 'endpoint') return change.event === 'activated' ? 'release' : 'endpoint'
  const { event, from } = change
  if (event === 'initializing' || event === 'stopping') return 'scale'
  if (event === 'unhealthy') return 'crash'
  return event === 'ended' && from !== 'stopping' ? 'crash' : 'worker'
}
