import { isDrawn, type NodeView, type WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import type { WidgetSize } from './control-props.ts'
import { WidgetRow } from './WidgetRow.tsx'

/** The widgets of a node. */
export type NodeWidgetsProps = {
  readonly view: NodeView
  /** Id of the node as the payload has it, like `57:8`. */
  readonly payloadId: string
  /** In the inspector there is room for names above, and for help. */
  readonly size?: WidgetSize
}

/** All widgets of a node, one below the other, in the order of its class. */
export function NodeWidgets({ view, payloadId, size = 'node' }: NodeWidgetsProps) {
  const shown = view.widgets.filter(isShown).flatMap(withControl)
  const controlled = new Set(shown.filter(({ kind }) => kind === 'control').map(({ name }) => name))
  return (
    <div className={size === 'node' ? 'flex min-h-0 min-w-0 flex-1 flex-col gap-1' : 'flex min-w-0 flex-col gap-3'}>
      {shown.map((widget) => (
        <WidgetRow
          // Nodes of two graphs can have the same id: what is being typed stays with its own.
          key={`${payloadId} ${widget.kind} ${widget.name}`}
          nodeId={view.id}
          nodeKind={view.kind}
          nodeTitle={view.title}
          payloadId={payloadId}
          widget={widget}
          isControlled={widget.kind === 'input' && controlled.has(widget.name)}
          size={size}
        />
      ))}
    </div>
  )
}

// What the public editor alone draws has no row here, and a link needs no control.
const isShown = (widget: WidgetView) => isDrawn(widget) && !(widget.kind === 'control' && widget.isLinked)

/** A host tells of the control of a promoted seed at the seed itself; here it is a widget below it, as on other nodes. */
function withControl(widget: WidgetView): readonly WidgetView[] {
  const { control } = widget
  return control === undefined || widget.isLinked ? [widget] : [widget, { ...widget, kind: 'control', value: control }]
}
