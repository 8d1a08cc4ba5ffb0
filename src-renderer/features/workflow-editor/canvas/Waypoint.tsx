import type { NodeProps } from '@xyflow/react'
import clsx from 'clsx'
import { memo } from 'react'
import type { WaypointNode } from './flow-types.ts'
import { slotColour } from './slot-colour.ts'

/** A point that links are led through. */
export const Waypoint = memo(function Waypoint({ data, selected }: NodeProps<WaypointNode>) {
  return (
    <div
      style={{ background: slotColour(data.type) }}
      className={clsx('size-full rounded-full border-2 border-surface-1', selected && 'outline-2 outline-accent')}
    />
  )
})
