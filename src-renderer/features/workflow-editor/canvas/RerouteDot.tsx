import type { NodeProps } from '@xyflow/react'
import clsx from 'clsx'
import { memo } from 'react'
import { type FlowNode, inputHandle, outputHandle } from './flow-types.ts'
import { Slot } from './NodeSlots.tsx'

/** A reroute: a node that hands on what comes in. */
export const RerouteDot = memo(function RerouteDot({ data: { view }, selected }: NodeProps<FlowNode>) {
  const [input, output] = [view.inputs[0], view.outputs[0]]
  const type = output?.type ?? input?.type ?? '*'
  return (
    <div
      className={clsx(
        'size-full rounded-full border border-line-strong/70 bg-surface-2',
        selected && 'outline-2 outline-accent',
      )}
    >
      <span className="sr-only">Reroute</span>
      {input !== undefined && (
        <Slot side="input" id={inputHandle(input.at, input.name)} type={type} isLinked={input.link !== undefined} />
      )}
      {output !== undefined && (
        <Slot side="output" id={outputHandle(output.at)} type={type} isLinked={output.links.length > 0} />
      )}
    </div>
  )
})
