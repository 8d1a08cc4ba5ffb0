/**
 * Groups are copied, cut and deleted with what is in them, and what is selected is never more than what is seen to be.
 */
import { expect, test } from 'vitest'
import { readDocument, type WorkflowDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { addGroup } from '../../../src-main/features/workflows/rules/edit/groups.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject } from '../../../src-main/lib/json/value.ts'
import { createFlowMaker } from '../../../src-renderer/features/workflow-editor/graph/flow-graph.ts'
import { clipboardActions } from '../../../src-renderer/features/workflow-editor/keys/clipboard-actions.ts'
import { type ActionPorts, editActions } from '../../../src-renderer/features/workflow-editor/keys/edit-actions.ts'
import { createCanvasStore } from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import { createEditorStore } from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { makeDocument } from '../editor-bench/make-document.ts'
import { testPlatform } from '../support.tsx'

const TYPES = new Map()

function read(text: string): WorkflowDocument {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('no object')
  return readDocument(parsed)
}

/** A graph of ten nodes with a group around nodes 3 and 4. */
function setup() {
  const ids = new Set(['3', '4'])
  const editor = createEditorStore(addGroup(read(makeDocument(10)), undefined, { title: 'Prompts', ids }), TYPES)
  const canvas = createCanvasStore(testPlatform())
  const makeFlow = createFlowMaker()
  const ports = {
    tab: { editor },
    canvas,
    address: undefined,
    flow: { screenToFlowPosition: (place: unknown) => place },
    pointer: () => ({ x: 5000, y: 5000 }),
    graph: () => {
      const made = makeFlow(editor.getState().document, undefined, TYPES)
      return { ...made, address: undefined, byId: new Map(made.nodes.map((node) => [node.id, node])) }
    },
    newUuid: () => 'uuid',
  } as unknown as ActionPorts // these actions use nothing else
  const groups = () => editor.getState().document.groups.items.map(({ title }) => title)
  const nodes = () => editor.getState().document.nodes.items.length
  const selected = () => [...editor.getState().selection]
  return { editor, canvas, groups, nodes, selected, actions: { ...clipboardActions(ports), ...editActions(ports) } }
}

test('a selected group is copied with what is in it, and what is pasted is all that is selected', () => {
  const { canvas, groups, nodes, selected, actions } = setup()
  canvas.getState().set({ things: new Set(['group:0']) })
  const text = actions.copied(false) ?? ''
  actions.pasteText(text, false)
  expect({ groups: groups(), nodes: nodes() }).toEqual({ groups: ['Prompts', 'Prompts'], nodes: 12 })
  expect({ selected: selected(), things: [...canvas.getState().things] }).toEqual({
    selected: ['11', '12'],
    things: [],
  })
  actions.remove()
  expect({ groups: groups().length, nodes: nodes() }).toEqual({ groups: 2, nodes: 10 })
})

test('a selected group is cut and duplicated with what is in it', () => {
  const { canvas, editor, groups, nodes, actions } = setup()
  canvas.getState().set({ things: new Set(['group:0']) })
  actions.duplicate()
  expect({ groups: groups().length, nodes: nodes() }).toEqual({ groups: 2, nodes: 12 })
  editor.getState().undo()
  canvas.getState().set({ things: new Set(['group:0']) })
  actions.copied(true)
  expect({ groups: groups(), nodes: nodes() }).toEqual({ groups: [], nodes: 8 })
})

test('all are selected with their groups: deleting leaves nothing, and one undo brings all back', () => {
  const { editor, groups, nodes, actions } = setup()
  const before = editor.getState().document
  actions.selectAll()
  actions.remove()
  expect({ groups: groups(), nodes: nodes() }).toEqual({ groups: [], nodes: 0 })
  editor.getState().undo()
  expect(editor.getState().document).toBe(before)
})

test('a group that is made is selected with its nodes', () => {
  const { editor, canvas, selected, actions } = setup()
  editor.getState().select(['5', '6'])
  actions.group()
  expect({ selected: selected(), things: [...canvas.getState().things] }).toEqual({
    selected: ['5', '6'],
    things: ['group:1'],
  })
})
