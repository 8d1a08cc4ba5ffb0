import type { NodeProps } from '@xyflow/react'
import { memo } from 'react'
import { type BoundaryNode, inputHandle, outputHandle } from './flow-types.ts'
import { SLOT_ROW, TITLE } from './geometry.ts'
import { Slot } from './NodeSlots.tsx'

/** Where links come into a subgraph, or leave it. */
export const BoundaryBox = memo(function BoundaryBox({ data: { side, slots } }: NodeProps<BoundaryNode>) {
  const isIn = side === 'inputs'
  return (
    <div className="size-full rounded-control border border-dashed border-line-strong bg-surface-2 text-small leading-5">
      <p style={{ height: TITLE }} className="flex items-center px-2 font-medium">
        {isIn ? 'Inputs' : 'Outputs'}
      </p>
      <ul className={isIn ? 'pt-1 pr-3 text-right' : 'pt-1 pl-3'}>
        {slots.map(({ name, type, isLinked }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
          <li key={at} className="relative" style={{ height: SLOT_ROW }}>
            <span title={`${name}: ${type}`} className="block truncate px-1">
              {name}
            </span>
            <span className={isIn ? 'absolute inset-y-0 -right-3' : 'absolute inset-y-0 -left-3'}>
              <Slot
                side={isIn ? 'output' : 'input'}
                id={isIn ? outputHandle(at) : inputHandle(at, name)}
                type={type}
                isLinked={isLinked}
              />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
})
