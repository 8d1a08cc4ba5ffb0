import { type MouseEvent, type ReactNode, useState } from 'react'
import type { NodeKind, WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { SLOT_ROW } from '../canvas/geometry.ts'
import { choiceWord } from './choices.ts'
import { useWidgetEdits } from './use-widget-edits.ts'
import { WidgetMenu } from './WidgetMenu.tsx'
import { widgetHelp, widgetLabel } from './widget-kind.ts'

/** A widget that is an input. */
export type WidgetSocketProps = {
  readonly nodeId: string
  readonly nodeTitle: string
  readonly nodeKind: NodeKind
  readonly widget: WidgetView
  /** Its slot. */
  readonly children: ReactNode
}

/** The row of a widget that is an input: while nothing is linked to it, its own value counts, and is shown. */
export function WidgetSocket({ nodeId, nodeTitle, nodeKind, widget, children }: WidgetSocketProps) {
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
      {!widget.isLinked && <span className="min-w-0 truncate text-ink-2">{choiceWord(widget.value)}</span>}
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
