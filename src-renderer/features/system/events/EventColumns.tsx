import { Link } from 'wouter'
import type { FleetEvent } from '../../../../src-main/contract/fleet-events.ts'
import { ADDRESS } from '../../../addresses.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { eventDot } from './event-words.ts'

/** The columns of the list of events. */
export const EVENT_COLUMNS: readonly Column<FleetEvent>[] = [
  { id: 'at', header: 'When', width: 110, cell: ({ at }) => <RelativeTime at={at} /> },
  { id: 'what', header: 'What', width: 130, cell: (event) => <StateDot {...eventDot(event)} /> },
  {
    id: 'endpoint',
    header: 'Endpoint',
    width: 130,
    grow: 1,
    cell: ({ endpointId }) => (
      <Link to={ADDRESS.endpoint(endpointId)} className="font-medium hover:underline">
        {endpointId}
      </Link>
    ),
  },
  {
    id: 'worker',
    header: 'Worker',
    width: 140,
    cell: ({ workerId }) =>
      workerId === undefined ? (
        <Nothing />
      ) : (
        <Link to={ADDRESS.worker(workerId)} className="font-mono text-small hover:underline">
          {workerId}
        </Link>
      ),
  },
  { id: 'reason', header: 'Why', width: 200, grow: 4, cell: ({ reason }) => <Reason reason={reason} /> },
]

function Reason({ reason }: Pick<FleetEvent, 'reason'>) {
  if (reason === undefined) return <Nothing />
  return (
    <Tooltip text={reason}>
      <span>{reason}</span>
    </Tooltip>
  )
}
