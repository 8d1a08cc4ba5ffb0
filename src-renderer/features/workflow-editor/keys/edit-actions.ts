import type { ReactFlowInstance } from '@xyflow/react'
import type { GraphNode, WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { disconnect } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { addGroup, removeGroups } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import {
  modeOf,
  type NodeMode,
  setCollapsed,
  setMode,
  setPinned,
} from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { removeLinks, removeNodes } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { removeReroute } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { isObject } from '../../../../src-main/lib/json/value.ts'
import type { AppServices } from '../../../store/app-context.ts'
import type { FileActions } from '../files/use-file-actions.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { type CanvasNode, type FlowLink, groupIndex, groupName, waypointId } from '../graph/flow-types.ts'
import type { RunActions } from '../run/run-actions.ts'
import type { CanvasStore, Point } from '../store/canvas-store.ts'
import { selectNodes, type Tab } from '../store/editor-store.ts'
import type { Actions } from './shortcuts.ts'

export function editActions(ports: ActionPorts) {
  const { tab, canvas, address } = ports
  const state = () => tab.editor.getState()
  const graph = () => graphAt(state().document, address)
  const selected = () => graph()?.nodes.items.filter(({ id = '' }) => state().selection.has(id)) ?? []
  // If all have the mode, it is removed; otherwise all get it.
  const toggleMode = (mode: NodeMode, on: string, off: string) => () => {
    const isOn = selected().every((node) => modeOf(node) === mode)
    editSelected(ports, isOn ? off : on, (document, ids) => setMode(document, address, ids, isOn ? 'always' : mode))
  }
  const stepBack = (label: string | undefined, what: string, step: () => void) => {
    if (label === undefined) return canvas.getState().say(`Nothing to ${what}.`)
    step()
    canvas.getState().say(`${what === 'undo' ? 'Undone' : 'Redone'}: ${label}.`)
  }
  return {
    undo: () => stepBack(state().done.at(-1)?.label, 'undo', state().undo),
    redo: () => stepBack(state().undone.at(-1)?.label, 'redo', state().redo),
    selectAll() {
      const ids = graph()?.nodes.items.map(({ id = '' }) => id) ?? []
      const groups = graph()?.groups.items.map((_, index) => groupName(index))
      selectNodes({ editor: tab.editor, canvas }, ids, groups)
      canvas.getState().say(`${countOf(ids.length)} selected.`)
    },
    remove: () => removeSelected(ports),
    disconnect: () =>
      editSelected(ports, 'Disconnect', (document) =>
        selected().reduce((changed, node) => disconnected(changed, address, node), document),
      ),
    mute: toggleMode('mute', 'Mute', 'Unmute'),
    bypass: toggleMode('bypass', 'Bypass', 'No longer bypass'),
    collapse() {
      const isOn = selected().every((node) => hasFlag(node, 'collapsed'))
      editSelected(ports, isOn ? 'Expand' : 'Collapse', (document, ids) => setCollapsed(document, address, ids, !isOn))
    },
    pin() {
      const isOn = selected().every((node) => hasFlag(node, 'pinned'))
      editSelected(ports, isOn ? 'Unpin' : 'Pin', (document, ids) => setPinned(document, address, ids, !isOn))
    },
    group() {
      const { document, selection } = state()
      editSelected(ports, 'Group', (before, ids) => addGroup(before, address, { title: 'Group', ids }))
      if (state().document === document) return
      // Selects it with its nodes, so that the next action, like copying, includes both.
      const index = (graph()?.groups.items.length ?? 0) - 1
      selectNodes({ editor: tab.editor, canvas }, selection, [groupName(index)])
    },
  } satisfies Partial<Actions>
}

const hasFlag = ({ flags }: GraphNode, name: string): boolean => isObject(flags) && flags.get(name) === true

function disconnected(
  document: WorkflowDocument,
  address: GraphAddress,
  { id: node = '', inputs, outputs }: GraphNode,
): WorkflowDocument {
  const ends = [
    ...inputs.items.map((_, slot) => ({ node, side: 'input', slot }) as const),
    ...outputs.items.map((_, slot) => ({ node, side: 'output', slot }) as const),
  ]
  return ends.reduce((changed, end) => disconnect(changed, address, end), document)
}

function removeSelected({ tab, canvas, address }: ActionPorts) {
  const { selection, edit } = tab.editor.getState()
  const { links, things, say, set } = canvas.getState()
  const groups = new Set([...things].flatMap((id) => groupIndex(id) ?? []))
  const points = [...things].flatMap((id) => waypointId(id) ?? [])
  const count = selection.size + links.size + groups.size + points.length
  if (count === 0) return say('Nothing is selected.')
  const text =
    selection.size > 0 ? `Delete ${countOf(selection.size)}` : count === 1 ? 'Delete' : `Delete ${count} things`
  edit(text, (document) => {
    const withoutNodes = removeNodes(document, address, selection)
    const withoutLinks = removeLinks(withoutNodes, address, links)
    const withoutGroups = removeGroups(withoutLinks, address, groups)
    return points.reduce((changed, id) => removeReroute(changed, address, id), withoutGroups)
  })
  set({ links: new Set(), things: new Set() })
  say(`${text}.`)
}

export type ActionPorts = {
  readonly app: AppServices
  readonly tab: Tab
  readonly address: GraphAddress
  readonly canvas: CanvasStore
  readonly flow: ReactFlowInstance<CanvasNode, FlowLink>
  readonly graph: () => Flow
  readonly bringIntoView: (ids: ReadonlySet<string>) => void
  readonly files: FileActions
  readonly runs: RunActions
  readonly go: (to: string) => void
  /** The last pointer position over the canvas, px of the window; undefined: none yet. */
  readonly pointer: () => Point | undefined
  /** The middle of the visible canvas, px of the window. */
  readonly middle: () => Point
  readonly newUuid: () => string
}

export function editSelected(
  { tab, canvas }: ActionPorts,
  what: string,
  change: (document: WorkflowDocument, ids: ReadonlySet<string>) => WorkflowDocument,
) {
  const { selection, edit } = tab.editor.getState()
  if (selection.size === 0) return canvas.getState().say('No node is selected.')
  const text = `${what} ${countOf(selection.size)}`
  edit(text, (document) => change(document, selection))
  canvas.getState().say(`${text}.`)
}

export const countOf = (count: number): string => (count === 1 ? 'a node' : `${count} nodes`)
