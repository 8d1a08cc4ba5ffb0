import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import clsx from 'clsx'
import { memo, type ReactNode } from 'react'

/** A box with what it shows. */
export type GraphBoxNode = Node<{ readonly content: ReactNode }, 'box'>

/** A box of a graph; arrows come in at its left and go out at its right. */
export const GraphBox = memo(function GraphBox({ data, selected }: NodeProps<GraphBoxNode>) {
  return (
    <div
      className={clsx(
        'size-full overflow-hidden rounded-control border bg-surface-1',
        selected ? 'border-accent outline-1 outline-accent' : 'border-line-strong/60 hover:border-line-strong',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="invisible" />
      {data.content}
      <Handle type="source" position={Position.Right} isConnectable={false} className="invisible" />
    </div>
  )
})
