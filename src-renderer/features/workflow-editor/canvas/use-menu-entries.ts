import { useMemo } from 'react'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { insertIntoLink } from '../../../../src-main/domain/workflow/edit/connect.ts'
import { removeGroups, setGroup } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { setColour } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import { removeLinks } from '../../../../src-main/domain/workflow/edit/remove.ts'
import { addReroute, removeReroute } from '../../../../src-main/domain/workflow/edit/reroutes.ts'
import { NODE_PALETTE } from '../inspector/node-palette.ts'
import type { ActionId } from '../keys/shortcuts.ts'
import { useCanvasStore } from '../store/canvas-context.ts'
import type { MenuTarget } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-context.ts'
import { groupPlace, waypointId } from './flow-types.ts'
import { viewOf } from './link-ends.ts'
import type { Flow } from './use-flow.ts'

/** An entry of a menu: an action of the editor, one of its own, or colours to pick from. */
export type MenuEntry =
  | ActionId
  | { readonly name: string; readonly run: () => void }
  | {
      readonly name: string
      readonly swatches: readonly { readonly words: string; readonly colour: string | undefined }[]
      readonly pick: (words: string) => void
    }

const GROUP_COLOURS: Readonly<Record<string, string>> = {
  Blue: '#3f789e',
  Green: '#8A8',
  Red: '#A88',
  Yellow: '#b58b2a',
  Purple: '#a1309b',
  Grey: '#888',
}

/** What can be done with something on the canvas. */
export function useMenuEntries(target: MenuTarget, flow: Flow): readonly (readonly MenuEntry[])[] {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  return useMemo(() => {
    const { address } = flow
    const edit = (name: string, change: (document: WorkflowDocument) => WorkflowDocument): MenuEntry => {
      return { name, run: () => editor.getState().edit(name, change) }
    }
    switch (target.kind) {
      case 'canvas':
        return [
          [addHere(target.at), 'paste', 'pasteLinked'],
          ['selectAll', 'fit', 'layOut'],
          ['undo', 'redo'],
          ['snap', 'wheel', 'minimap'],
        ]
      case 'node':
        return nodeEntries(target.id)
      case 'link': {
        const { id, at } = target
        const chosen = [...editor.getState().selection]
        const { types } = editor.getState()
        return [
          [
            edit(
              'Add a point',
              (document) => addReroute(document, address, { linkId: id, pos: [at.x, at.y] }).document,
            ),
            ...(chosen.length === 1
              ? [
                  edit('Insert the selected node', (document) =>
                    insertIntoLink(document, address, { linkId: id, nodeId: chosen[0] ?? '', types }),
                  ),
                ]
              : []),
          ],
          [edit('Remove the link', (document) => removeLinks(document, address, new Set([id])))],
        ]
      }
      case 'waypoint': {
        const id = waypointId(target.id) ?? ''
        return [[edit('Remove the point', (document) => removeReroute(document, address, id))]]
      }
      case 'group':
        return groupEntries(target.id)
    }

    function addHere(at: { readonly x: number; readonly y: number }): MenuEntry {
      const run = () => {
        const { overlay } = canvas.getState()
        const screen = overlay?.screen ?? { x: 0, y: 0 }
        // After the menu is gone, which takes the focus back.
        requestAnimationFrame(() => canvas.getState().set({ overlay: { kind: 'add', screen, at } }))
      }
      return { name: 'Add a node', run }
    }

    function nodeEntries(id: string): readonly (readonly MenuEntry[])[] {
      const isSubgraph = viewOf(flow.byId.get(id))?.kind === 'subgraph'
      return [
        isSubgraph ? ['enter', 'dissolve'] : ['link'],
        ['copy', 'cut', 'duplicate', 'remove'],
        ['mute', 'bypass', 'collapse', 'pin', 'disconnect'],
        ['group', 'subgraph', 'layOut'],
        ['runSelected'],
        [
          {
            name: 'Colour',
            swatches: NODE_PALETTE.map(({ name, bgcolor }) => ({ words: name, colour: bgcolor })),
            pick: (words) =>
              editor.getState().edit('Colour', (document) => {
                const colours = NODE_PALETTE.find(({ name }) => name === words)
                return colours === undefined
                  ? document
                  : setColour(document, address, editor.getState().selection, colours)
              }),
          },
        ],
      ]
    }

    function groupEntries(id: string): readonly (readonly MenuEntry[])[] {
      const place = groupPlace(id) ?? -1
      const group = flow.byId.get(id)
      const isCollapsed = group?.type === 'box' && group.data.isCollapsed
      const members = group?.type === 'box' ? group.data.members : []
      return [
        [
          { name: 'Rename', run: () => canvas.getState().set({ renaming: id }) },
          edit(isCollapsed ? 'Expand the group' : 'Collapse the group', (document) =>
            setGroup(document, address, place, { isCollapsed: !isCollapsed }),
          ),
          { name: 'Select what is in it', run: () => editor.getState().select(members) },
        ],
        [
          {
            name: 'Colour',
            swatches: Object.entries(GROUP_COLOURS).map(([words, colour]) => ({ words, colour })),
            pick: (words) =>
              editor.getState().edit('Colour', (document) => {
                const color = GROUP_COLOURS[words]
                return color === undefined ? document : setGroup(document, address, place, { color })
              }),
          },
        ],
        [edit('Remove the group, keep its nodes', (document) => removeGroups(document, address, new Set([place])))],
      ]
    }
  }, [target, flow, editor, canvas])
}
