import { Handle, Position } from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, type MouseEvent, memo, type ReactNode, useState } from 'react'
import { typesFit } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type {
  InputView,
  NodeKind,
  NodeView,
  WidgetView,
} from '../../../../src-main/features/workflows/rules/node-view.ts'
import { isKnownSlot, slotColour } from '../graph/colours.ts'
import { inputHandle, outputHandle } from '../graph/flow-types.ts'
import { SLOT_ROW, shownInputs } from '../graph/geometry.ts'
import { useCanvas } from '../store/canvas-store.ts'
import { useWidgetEdits } from '../widgets/use-widget-edits.ts'
import { WidgetMenu } from '../widgets/WidgetTools.tsx'
import { choiceText, widgetHelp, widgetLabel } from '../widgets/widget-kind.ts'

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

export type SlotProps = {
  readonly side: 'input' | 'output'
  readonly id: string
  readonly type: string
  readonly isLinked: boolean
  readonly isList?: boolean
}

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

type WidgetSocketProps = {
  readonly nodeId: string
  readonly nodeTitle: string
  readonly nodeKind: NodeKind
  readonly widget: WidgetView
  readonly children: ReactNode
}

/** The row of a widget turned into an input; its own value applies while nothing is linked. */
function WidgetSocket({ nodeId, nodeTitle, nodeKind, widget, children }: WidgetSocketProps) {
  const label = widgetLabel(widget)
  const name = `${label} of ${nodeTitle}`
  const { toWidget } = useWidgetEdits(nodeId, widget, name)
  const [menu, setMenu] = useState<{ readonly x: number; readonly y: number }>()
  const openMenu = (event: MouseEvent) => {
    event.preventDefault()
    event.stopPropagation()
    setMenu({ x: event.clientX, y: event.clientY })
  }
  return (
    <li
      className="relative flex gap-1.5 pl-3"
      style={{ height: SLOT_ROW }}
      {...(nodeKind === 'class' ? { onContextMenu: openMenu } : {})}
    >
      {children}
      <span className="shrink-0 truncate" title={`${widget.name}: ${widget.input?.type ?? '*'}`}>
        {label}
      </span>
      {!widget.isLinked && <span className="min-w-0 truncate text-ink-2">{choiceText(widget.value)}</span>}
      {menu !== undefined && (
        <WidgetMenu
          {...menu}
          name={name}
          help={widgetHelp(widget)}
          items={[{ label: 'Back to a widget', onSelect: toWidget }]}
          onClose={() => setMenu(undefined)}
        />
      )}
    </li>
  )
}
