import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { insertIntoLink } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import { removeGroups, setGroup } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { setColour } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { removeLinks } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { addReroute, removeReroute } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { NODE_PALETTE } from '../graph/colours.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { groupIndex, waypointId } from '../graph/flow-types.ts'
import { pointOn, viewOf } from '../graph/links.ts'
import type { EditorActions } from '../keys/create-actions.ts'
import { type ActionId, shortcutOf, shownKeys } from '../keys/shortcuts.ts'
import type { ListProps } from '../palette/NodeLists.tsx'
import {
  type CanvasStore,
  type MenuTarget,
  type OpenOverlay,
  type Point,
  useCanvasStore,
} from '../store/canvas-store.ts'
import { type EditorStore, useTab } from '../store/editor-store.ts'
import { takesPicture } from '../widgets/widget-kind.ts'

type CanvasMenuProps = ListProps<'menu'> & { readonly actions: EditorActions }

export function CanvasMenu({ overlay, flow, actions, onClose }: CanvasMenuProps) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const groups = entriesFor(overlay.target, { flow, editor, canvas })
  const { x, y } = overlay.screen
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="pointer-events-none fixed size-0" style={{ left: x, top: y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="enters z-40 max-h-[80vh] min-w-56 overflow-y-auto rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          {groups.map((entries, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a menu do not move
            <DropdownMenu.Group key={at}>
              {at > 0 && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
              {entries.map((entry) => (
                <Entry key={typeof entry === 'string' ? entry : entry.name} entry={entry} actions={actions} />
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const ITEM = 'flex h-7 items-center gap-3 rounded-control px-2 outline-none data-highlighted:bg-surface-2'

function Entry({ entry, actions }: { readonly entry: MenuEntry; readonly actions: EditorActions }) {
  if (typeof entry !== 'string' && 'swatches' in entry) return <Swatches {...entry} />
  const isAction = typeof entry === 'string'
  const shortcut = isAction ? shortcutOf(entry) : undefined
  const [keys] = shortcut?.keys ?? []
  return (
    <DropdownMenu.Item className={ITEM} onSelect={isAction ? () => actions[entry]() : entry.run}>
      {isAction ? (shortcut?.name ?? entry) : entry.name}
      {keys !== undefined && <span className="ml-auto text-small text-ink-2">{shownKeys(keys)}</span>}
    </DropdownMenu.Item>
  )
}

function Swatches({ name, swatches }: Extract<MenuEntry, { readonly swatches: unknown }>) {
  return (
    <div className="flex items-center gap-1 px-2 py-1">
      <span className="mr-1">{name}</span>
      {swatches.map(({ label, colour, pick }) => (
        <DropdownMenu.Item
          key={label}
          aria-label={label}
          title={label}
          onSelect={pick}
          style={{ background: colour ?? 'var(--surface-1)' }}
          className="size-5 rounded-full border border-line-strong outline-offset-1 data-highlighted:outline-2 data-highlighted:outline-accent"
        />
      ))}
    </div>
  )
}

type MenuEntry =
  | ActionId
  | { readonly name: string; readonly run: () => void }
  | { readonly name: string; readonly swatches: readonly Swatch[] }

type Swatch = { readonly label: string; readonly colour: string | undefined; readonly pick: () => void }

const GROUP_COLOURS: Readonly<Record<string, string>> = {
  Blue: '#3f789e',
  Green: '#8A8',
  Red: '#A88',
  Yellow: '#b58b2a',
  Purple: '#a1309b',
  Grey: '#888',
}

type MenuGroups = readonly (readonly MenuEntry[])[]
type Ports = { readonly flow: Flow; readonly editor: EditorStore; readonly canvas: CanvasStore }

function entriesFor(target: MenuTarget, ports: Ports): MenuGroups {
  switch (target.kind) {
    case 'canvas':
      return [
        [{ name: 'Add a node', run: () => openNext(ports, { kind: 'add', at: target.at }) }, 'paste', 'pasteLinked'],
        ['selectAll', 'fit', 'layOut'],
        ['undo', 'redo'],
        ['snap', 'wheel', 'minimap'],
      ]
    case 'node':
      return nodeEntries(ports, target.id)
    case 'link':
      return linkEntries(ports, target.id, target.at)
    case 'waypoint': {
      const id = waypointId(target.id) ?? ''
      return [[edit(ports, 'Remove the point', (document) => removeReroute(document, ports.flow.address, id))]]
    }
    case 'group':
      return groupEntries(ports, target.id)
  }
}

function edit({ editor }: Ports, name: string, change: (document: WorkflowDocument) => WorkflowDocument): MenuEntry {
  return { name, run: () => editor.getState().edit(name, change) }
}

// After the menu closes, which takes the focus back.
function openNext({ canvas }: Ports, overlay: WithoutScreen<OpenOverlay>): void {
  const screen = canvas.getState().overlay?.screen ?? { x: 0, y: 0 }
  requestAnimationFrame(() => canvas.getState().set({ overlay: { ...overlay, screen } }))
}

type WithoutScreen<Overlay> = Overlay extends unknown ? Omit<Overlay, 'screen'> : never

// Only for pictures that the node itself loads, not for linked ones.
function maskEntries(ports: Ports, id: string): MenuGroups {
  const view = viewOf(ports.flow.byId.get(id))
  const widget = view?.widgets.find((one) => one.kind === 'input' && !one.isLinked && takesPicture(one))
  const value = asText(widget?.value)
  if (widget === undefined || value === undefined || value === '') return []
  const run = () => openNext(ports, { kind: 'mask', node: id, input: widget.name, value })
  return [[{ name: 'Edit the mask …', run }]]
}

function nodeEntries(ports: Ports, id: string): MenuGroups {
  const { flow, editor } = ports
  const isSubgraph = viewOf(flow.byId.get(id))?.kind === 'subgraph'
  const swatches = NODE_PALETTE.map((colours) => {
    const paint = (document: WorkflowDocument) =>
      setColour(document, flow.address, editor.getState().selection, colours)
    return { label: colours.name, colour: colours.bgcolor, pick: () => editor.getState().edit('Colour', paint) }
  })
  return [
    isSubgraph ? ['enter', 'dissolve'] : ['link'],
    ...maskEntries(ports, id),
    ['copy', 'cut', 'duplicate', 'remove'],
    ['mute', 'bypass', 'collapse', 'pin', 'disconnect'],
    ['group', 'subgraph', 'layOut'],
    ['runSelected'],
    [{ name: 'Colour', swatches }],
  ]
}

function linkEntries(ports: Ports, id: string, at: Point): MenuGroups {
  const { flow, editor } = ports
  const { address } = flow
  const { selection, types } = editor.getState()
  const [nodeId, ...others] = selection
  const link = flow.links.find((one) => one.id === id)
  const add = edit(ports, 'Add a point', (document) =>
    link === undefined ? document : addReroute(document, address, pointOn(link, at, flow)).document,
  )
  const insert = edit(ports, 'Insert the selected node', (document) =>
    nodeId === undefined ? document : insertIntoLink(document, address, { linkId: id, nodeId, types }),
  )
  return [
    nodeId !== undefined && others.length === 0 ? [add, insert] : [add],
    [edit(ports, 'Remove the link', (document) => removeLinks(document, address, new Set([id])))],
  ]
}

function groupEntries(ports: Ports, id: string): MenuGroups {
  const { flow, editor, canvas } = ports
  const { address } = flow
  const index = groupIndex(id) ?? -1
  const group = flow.byId.get(id)
  const { isCollapsed, members } = group?.type === 'box' ? group.data : { isCollapsed: false, members: [] }
  const swatches = Object.entries(GROUP_COLOURS).map(([label, color]) => {
    const paint = (document: WorkflowDocument) => setGroup(document, address, index, { color })
    return { label, colour: color, pick: () => editor.getState().edit('Colour', paint) }
  })
  return [
    [
      { name: 'Rename', run: () => canvas.getState().set({ renaming: id }) },
      edit(ports, isCollapsed ? 'Expand the group' : 'Collapse the group', (document) =>
        setGroup(document, address, index, { isCollapsed: !isCollapsed }),
      ),
      { name: 'Select its contents', run: () => editor.getState().select(members) },
    ],
    [{ name: 'Colour', swatches }],
    [edit(ports, 'Remove the group, keep its nodes', (document) => removeGroups(document, address, new Set([index])))],
  ]
}
