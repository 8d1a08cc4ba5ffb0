import { Ellipsis, Link2 } from 'lucide-react'
import { type MouseEvent, memo, useState } from 'react'
import { SUBGRAPH_INPUT } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { linkById, nodeById } from '../../../../src-main/features/workflows/rules/document/index-of.ts'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import {
  isDrawn,
  type NodeKind,
  type NodeView,
  type WidgetView,
} from '../../../../src-main/features/workflows/rules/node-view.ts'
import { sameJson } from '../../../../src-main/lib/json/value.ts'
import { addressOf, type EditorState, nodeTitle, useEditor, useTab } from '../store/editor-store.ts'
import { BareWidget } from './BareWidget.tsx'
import { useWidgetEdits, type WidgetEdits } from './use-widget-edits.ts'
import { SeedTools, WidgetMenu, type WidgetMenuItem } from './WidgetTools.tsx'
import { defaultValue, frameOf, type WidgetSize, widgetHelp, widgetKind, widgetLabel } from './widget-kind.ts'

export type NodeWidgetsProps = {
  readonly view: NodeView
  readonly payloadId: string
  readonly size?: WidgetSize
}

export function NodeWidgets({ view, payloadId, size = 'node' }: NodeWidgetsProps) {
  const shown = view.widgets.filter(isShown).flatMap(withControl)
  const controlled = new Set(shown.filter(({ kind }) => kind === 'control').map(({ name }) => name))
  return (
    <div className={size === 'node' ? 'flex min-h-0 min-w-0 flex-1 flex-col gap-1' : 'flex min-w-0 flex-col gap-3'}>
      {shown.map((widget) => (
        <WidgetRow
          // Nodes of two graphs can have the same id; typed text must stay with its own.
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

// Widgets that only ComfyUI's editor draws have no row here, and a link needs no control.
const isShown = (widget: WidgetView) => isDrawn(widget) && !(widget.kind === 'control' && widget.isLinked)

/**
 * A subgraph node has the control of a promoted seed in the seed itself; here it becomes a widget below, as on other
 * nodes.
 */
function withControl(widget: WidgetView): readonly WidgetView[] {
  const { control } = widget
  return control === undefined || widget.isLinked ? [widget] : [widget, { ...widget, kind: 'control', value: control }]
}

type WidgetRowProps = {
  readonly nodeId: string
  readonly nodeTitle: string
  readonly payloadId: string
  readonly widget: WidgetView
  readonly nodeKind: NodeKind
  readonly isControlled: boolean
  readonly size: WidgetSize
}

const WidgetRow = memo(DrawnRow, (one, other) => {
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
    // Opened from the keyboard, it has no pointer position.
    const box = event.currentTarget.getBoundingClientRect()
    const isPointed = event.clientX !== 0 || event.clientY !== 0
    setMenu(isPointed ? { x: event.clientX, y: event.clientY } : { x: box.left, y: box.bottom })
  }
  return (
    <div
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

type LinkedValueProps = {
  readonly nodeId: string
  readonly input: string
  readonly label: string
  readonly size: WidgetSize
}

function LinkedValue({ nodeId, input, label, size }: LinkedValueProps) {
  const { editor } = useTab()
  const source = useEditor((state) => sourceTitle(state, nodeId, input))
  return (
    <div className={frameOf(size)}>
      <span className={size === 'node' ? 'min-w-0 flex-1 truncate text-ink-2' : 'sr-only'}>{label}</span>
      <Link2 aria-hidden className="size-3 shrink-0 text-ink-2" />
      <button
        type="button"
        onClick={() => {
          const from = sourceOf(editor.getState(), nodeId, input)
          if (from !== undefined && from !== SUBGRAPH_INPUT) editor.getState().reveal(editor.getState().path, [from])
        }}
        className="nodrag truncate text-ink-2 hover:text-ink hover:underline"
      >
        from {source}
      </button>
    </div>
  )
}

function sourceOf(state: EditorState, nodeId: string, input: string): string | undefined {
  const graph = graphAt(state.document, addressOf(state))
  if (graph === undefined) return undefined
  // A list of promoted widgets prefixes the inner node, like `3: seed`.
  const slot = input.replace(/^\d+: /, '')
  const link = nodeById(graph, nodeId)?.inputs.items.find(({ name }) => name === input || name === slot)?.link
  return link === undefined ? undefined : linkById(graph, link)?.from.node
}

function sourceTitle(state: EditorState, nodeId: string, input: string): string {
  const from = sourceOf(state, nodeId, input)
  if (from === SUBGRAPH_INPUT) return 'outside of this subgraph'
  const graph = graphAt(state.document, addressOf(state))
  const node = graph === undefined || from === undefined ? undefined : nodeById(graph, from)
  return node === undefined ? 'a missing node' : nodeTitle(state, node)
}
