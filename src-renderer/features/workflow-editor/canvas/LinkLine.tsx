import { BaseEdge, type EdgeProps } from '@xyflow/react'
import { type CSSProperties, memo } from 'react'
import type { FlowLink } from './flow-types.ts'
import { linkPath } from './link-path.ts'
import { slotColour } from './slot-colour.ts'

/** A link, in the colour of its type. */
export const LinkLine = memo(function LinkLine({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<FlowLink>) {
  const path = linkPath({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, data?.points ?? [])
  return (
    <>
      <title>{data?.words}</title>
      <BaseEdge
        path={path}
        interactionWidth={16}
        className="workflow-link"
        // The colour alone: how a link under the pointer or a selected one looks is for `canvas.css` to say.
        style={{ '--link': slotColour(data?.type ?? '*') } as CSSProperties}
      />
    </>
  )
})
