import { Link } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ADDRESS } from '../../../addresses.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import type { FleetMark } from './event-marks.ts'

/** What a mark stands for, with a way to the worker or the release that it is of. */
export function MarkDetail({ mark, endpoint }: { readonly mark: FleetMark; readonly endpoint: LiveEndpoint }) {
  const { kind, workerId, reason, at } = mark.event
  const { app } = endpoint
  return (
    <div className="flex flex-col gap-0.5">
      <p className="flex items-baseline justify-between gap-2">
        <span className="font-medium">{mark.label}</span>
        <span className="text-small text-ink-2">
          <RelativeTime at={at} />
        </span>
      </p>
      {reason !== undefined && <p className="break-words text-ink-2">{reason}</p>}
      {workerId !== undefined && (
        <Link to={ADDRESS.worker(workerId)} className="self-start font-mono text-small text-accent hover:underline">
          {workerId}
        </Link>
      )}
      {kind === 'release' && app !== undefined && (
        <Link
          to={ADDRESS.environment(app.name, app.environment, 'releases')}
          className="self-start text-accent hover:underline"
        >
          Releases of {app.name}
        </Link>
      )}
      {kind === 'endpoint' && (
        <Link to={ADDRESS.endpoint(endpoint.id, 'settings')} className="self-start text-accent hover:underline">
          Settings
        </Link>
      )}
    </div>
  )
}
