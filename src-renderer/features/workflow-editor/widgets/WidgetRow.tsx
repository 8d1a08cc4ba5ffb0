import { Ellipsis } from 'lucide-react'
import { type MouseEvent, memo, useState } from 'react'
import { sameJson } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeKind, WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { BareWidget } from './BareWidget.tsx'
import type { WidgetSize } from './control-props.ts'
import { LinkedValue } from './LinkedValue.tsx'
import { SeedTools } from './SeedTools.tsx'
import { useWidgetEdits, type WidgetEdits } from './use-widget-edits.ts'
import { WidgetMenu, type WidgetMenuItem } from './WidgetMenu.tsx'
import { defaultValue, widgetHelp, widgetKind, widgetLabel } from './widget-kind.ts'

/** A widget of a node. */
export type WidgetRowProps = {
  readonly nodeId: string
  readonly nodeTitle: string
  readonly payloadId: string
  readonly widget: WidgetView
  /** What its node is. */
  readonly nodeKind: NodeKind
  /** A seed: how it changes from run to run is set below it. */
  readonly isControlled: boolean
  readonly size: WidgetSize
}

/** A widget with its menu. It is drawn again only when it itself has changed. */
export const WidgetRow = memo(DrawnRow, (one, other) => {
  const { widget, ...rest } = one
  const { widget: before, ...others } = other
  return (
    Object.entries(rest).every(([key, value]) => others[key as keyof typeof others] === value) &&
    widget.name === before.name &&
    widget.label === before.label &&
    widget.kind === before.kind &&
    widget.input === before.input &&
    widget.isLinked === before.isLinked &&
    widget.isInput === before.isInput &&
    sameJson(widget.value, before.value)
  )
})

function DrawnRow({ nodeId, nodeKind, nodeTitle, payloadId, widget, isControlled, size }: WidgetRowProps) {
  const label = widgetLabel(widget)
  const name = `${label} of ${nodeTitle}`
  const { toInput, toWidget, promote, demote, ...edits } = useWidgetEdits(nodeId, widget, name)
  const [menu, setMenu] = useState<{ readonly x: number; readonly y: number }>()
  const { input } = widget
  const items = menuItems({ widget, nodeKind, toInput, toWidget, promote, demote, set: edits.set })

  const openMenu = (event: MouseEvent) => {
    event.preventDefault()
    event.stopPropagation()
    // From the keyboard it comes without a point.
    const box = event.currentTarget.getBoundingClientRect()
    const isPointed = event.clientX !== 0 || event.clientY !== 0
    setMenu(isPointed ? { x: event.clientX, y: event.clientY } : { x: box.left, y: box.bottom })
  }
  return (
    // Tall ones share the height of the node.
    <div
      // A link is let go on it.
      {...(size === 'node' && widget.kind === 'input' ? { 'data-widget': widget.name } : {})}
      {...(items.length > 0 ? { onContextMenu: openMenu } : {})}
      className={
        size === 'node'
          ? 'flex min-w-0 shrink-0 flex-col has-[textarea,img]:min-h-0 has-[textarea,img]:flex-1'
          : 'min-w-0'
      }
    >
      <BareWidget
        widget={widget}
        of={nodeTitle}
        size={size}
        instead={widget.isLinked && <LinkedValue nodeId={nodeId} input={widget.name} label={label} size={size} />}
        aside={items.length > 0 && <MenuButton name={name} onOpen={openMenu} />}
        tools={
          isControlled &&
          !widget.isLinked &&
          input !== undefined &&
          widgetKind(widget, input) === 'number' && (
            <SeedTools name={name} input={input} payloadId={payloadId} set={edits.set} />
          )
        }
        {...edits}
      />
      {menu !== undefined && (
        <WidgetMenu
          {...menu}
          name={name}
          help={size === 'node' ? widgetHelp(widget) : undefined}
          items={items}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

function MenuButton({ name, onOpen }: { readonly name: string; readonly onOpen: (event: MouseEvent) => void }) {
  return (
    <button
      type="button"
      aria-label={`More for ${name}`}
      aria-haspopup="menu"
      onClick={onOpen}
      className="rounded-control p-0.5 text-ink-2 hover:bg-surface-2 hover:text-ink [&_svg]:size-4"
    >
      <Ellipsis aria-hidden />
    </button>
  )
}

type MenuFacts = Pick<WidgetRowProps, 'widget' | 'nodeKind'> &
  Pick<WidgetEdits, 'toInput' | 'toWidget' | 'promote' | 'demote' | 'set'>

function menuItems({ widget, nodeKind, set, ...edits }: MenuFacts): readonly WidgetMenuItem[] {
  if (widget.kind !== 'input' || widget.input === undefined) return []
  const items: WidgetMenuItem[] = []
  if (nodeKind === 'class') {
    if (widget.isLinked || widget.isInput === true) items.push({ label: 'Back to a widget', onSelect: edits.toWidget })
    else items.push({ label: 'Make it an input', onSelect: edits.toInput })
    if (edits.promote !== undefined) items.push({ label: 'Show it on the subgraph', onSelect: edits.promote })
  }
  if (nodeKind === 'subgraph') items.push({ label: 'Hide it here', onSelect: edits.demote })
  const initial = defaultValue(widget)
  if (initial !== undefined && !widget.isLinked) {
    const isSame = sameJson(initial, widget.value)
    items.push({ label: 'Reset to default', disabled: isSame, onSelect: () => set(initial) })
  }
  return items
}
