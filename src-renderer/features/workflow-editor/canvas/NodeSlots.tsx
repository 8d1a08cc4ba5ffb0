import { Handle, Position } from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, memo } from 'react'
import { typesFit } from '../../../../src-main/domain/workflow/match-types.ts'
import type { InputView, NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { useCanvas } from '../store/canvas-context.ts'
import { WidgetSocket } from '../widgets/WidgetSocket.tsx'
import { inputHandle, outputHandle } from './flow-types.ts'
import { SLOT_ROW, shownInputs } from './geometry.ts'
import { isKnownSlot, slotColour } from './slot-colour.ts'

/** The inputs and outputs of a node, with their names. */
export const NodeSlots = memo(function NodeSlots({ view }: { readonly view: NodeView }) {
  const inputs = shownInputs(view)
  if (inputs.length + view.outputs.length === 0) return null
  return (
    <div className="flex justify-between gap-2 pt-1 text-small leading-5">
      <ul aria-label="Inputs" className="min-w-0">
        {inputs.map((input) => (
          <InputRow key={inputHandle(input.at, input.name)} view={view} input={input} />
        ))}
      </ul>
      <ul aria-label="Outputs" className="min-w-0 text-right">
        {view.outputs.map(({ at, name, label, type, links, isList }) => (
          <li key={at} className="relative pr-3" style={{ height: SLOT_ROW }}>
            <span className="block truncate" title={`${name}: ${type}${isList ? ', a list' : ''}`}>
              {label}
            </span>
            <Slot side="output" id={outputHandle(at)} type={type} isLinked={links.length > 0} isList={isList} />
          </li>
        ))}
      </ul>
    </div>
  )
})

function InputRow({ view, input }: { readonly view: NodeView; readonly input: InputView }) {
  const { at, name, label, type, link, isOptional, isWidget } = input
  const slot = <Slot side="input" id={inputHandle(at, name)} type={type} isLinked={link !== undefined} />
  const widget = isWidget ? view.widgets.find((one) => one.name === name && one.kind === 'input') : undefined
  if (widget !== undefined)
    return (
      <WidgetSocket nodeId={view.id} nodeTitle={view.title} nodeKind={view.kind} widget={widget}>
        {slot}
      </WidgetSocket>
    )
  return (
    <li className="relative pl-3" style={{ height: SLOT_ROW }}>
      {slot}
      <span
        className={clsx('block truncate', isOptional && link === undefined && 'text-ink-2 italic')}
        title={`${name}: ${type}`}
      >
        {label}
      </span>
    </li>
  )
}

/** A slot: where a link begins or ends. */
export type SlotProps = {
  readonly side: 'input' | 'output'
  readonly id: string
  readonly type: string
  readonly isLinked: boolean
  readonly isList?: boolean
}

/** The dot of a slot, at the edge of its node. */
export function Slot({ side, id, type, isLinked, isList = false }: SlotProps) {
  const isMisfit = useCanvas(({ loose }) => loose !== undefined && (loose.side === side || !typesFit(loose.type, type)))
  const isLocked = useCanvas((state) => state.isLocked)
  return (
    <Handle
      id={id}
      type={side === 'input' ? 'target' : 'source'}
      position={side === 'input' ? Position.Left : Position.Right}
      data-type={type}
      isConnectable={!isLocked}
      isConnectableStart={!isLocked}
      style={{ '--slot': slotColour(type) } as CSSProperties}
      className={clsx(isLinked && 'linked', !isKnownSlot(type) && 'unknown', isList && 'list', isMisfit && 'misfit')}
    />
  )
}
