import { moveToFreeSpace } from '../../../../src-main/features/workflows/rules/arrange/free-space.ts'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import { addBlueprint } from '../../../../src-main/features/workflows/rules/edit/add-blueprint.ts'
import {
  type Added,
  addNode,
  addNote,
  addRerouteNode,
  addSubgraphInstance,
} from '../../../../src-main/features/workflows/rules/edit/add-node.ts'
import { connect } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { nodeBounds } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { typesFit } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { useApp } from '../../../store/app-context.ts'
import { canvasPoint, windowPoint } from '../graph/viewport.ts'
import { type LooseLink, type Point, useCanvasStore } from '../store/canvas-store.ts'
import { addressOf, type EditorState, selectNodes, useTab } from '../store/editor-store.ts'
import { type Addable, nameOf } from './addable-nodes.ts'

/** `link`: a drawn link that ends at the node; `isByKey`: it goes to a free space, because no pointer chose one. */
export type AddWish = { readonly link?: LooseLink | undefined; readonly isByKey?: boolean | undefined }

export type AddNode = (what: Addable, at: Point, wish?: AddWish) => void

type Make = (document: WorkflowDocument, address: GraphAddress, pos: Pair) => Added | undefined

export function useAddNode(): AddNode {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { client, store } = useApp()

  function put(make: Make, what: Addable, at: Point, { link, isByKey = false }: AddWish): void {
    const state = editor.getState()
    const address = addressOf(state)
    let id: string | undefined
    state.edit(`Add ${nameOf(what)}`, (document) => {
      const made = make(document, address, [Math.round(at.x), Math.round(at.y)])
      id = made?.id
      if (made === undefined) return document
      const added = isByKey ? { ...made, document: moveToFreeSpace(made.document, address, made.id) } : made
      return link === undefined ? added.document : linked(added, { address, link, types: state.types })
    })
    if (id === undefined) {
      const why = what.kind === 'blueprint' ? 'It is not a blueprint.' : 'A subgraph cannot contain itself.'
      canvas.getState().say(why)
      return
    }
    selectNodes({ editor, canvas }, [id])
    if (isByKey && !isInSight(editor.getState(), id)) state.reveal(state.path, [id])
    canvas.getState().say(`${nameOf(what)} is added.`)
  }

  function putBlueprint(what: Blueprint, at: Point, wish: AddWish): void {
    const { path } = editor.getState()
    const asked = client.call('blueprintRead', { path: { endpointId: what.endpointId, blueprint: what.id } })
    void asked.then(
      ({ text }) => {
        // The point is in the graph that was shown then.
        if (editor.getState().path !== path) return
        const newUuid = () => crypto.randomUUID()
        put((document, address, pos) => addBlueprint(document, address, text, { pos, newUuid }), what, at, wish)
      },
      (error: Error) => store.getState().notify({ kind: 'error', text: error.message }),
    )
  }

  return (what, at, wish = {}) =>
    what.kind === 'blueprint'
      ? putBlueprint(what, at, wish)
      : put((document, address, pos) => add(document, address, what, pos), what, at, wish)
}

type Blueprint = Extract<Addable, { kind: 'blueprint' }>

function isInSight(state: EditorState, id: string): boolean {
  const node = graphAt(state.document, addressOf(state))?.nodes.items.find((one) => one.id === id)
  const area = document.querySelector('.workflow-canvas')?.getBoundingClientRect()
  if (node === undefined || area === undefined) return true
  const { x, y, width, height } = nodeBounds(node)
  const point = windowPoint([x + width / 2, y + height / 2])
  if (point === undefined) return true
  return point.x > area.left && point.x < area.right && point.y > area.top && point.y < area.bottom
}

function add(
  document: WorkflowDocument,
  at: GraphAddress,
  what: Exclude<Addable, Blueprint>,
  pos: Pair,
): Added | undefined {
  switch (what.kind) {
    case 'class':
      return addNode(document, at, { type: what.type, pos })
    case 'reroute':
      return addRerouteNode(document, at, pos)
    case 'subgraph':
      return addSubgraphInstance(document, at, { definition: what.definition, pos })
    default:
      return addNote(document, at, { kind: what.kind, text: '', pos })
  }
}

type ToLink = { readonly address: GraphAddress; readonly link: LooseLink; readonly types: NodeTypes }

function linked({ document, id }: Added, { address, link, types }: ToLink): WorkflowDocument {
  const node = graphAt(document, address)?.nodes.items.find((one) => one.id === id)
  if (node === undefined) return document
  if (link.side === 'output') {
    const declared = types.get(node.type ?? '')?.inputs ?? []
    const inputs = [...node.inputs.items, ...declared]
    const exact = inputs.find(({ type }) => type === link.type) ?? inputs.find(({ type }) => typesFit(type, link.type))
    if (exact?.name === undefined) return document
    return connect(document, address, { from: link.from, to: { node: id, name: exact.name }, types })
  }
  const outputs = node.outputs.items
  const exact = outputs.findIndex(({ type }) => type === link.type)
  const slot = exact >= 0 ? exact : outputs.findIndex(({ type }) => typesFit(type, link.type))
  return slot < 0 ? document : connect(document, address, { from: { node: id, slot }, to: link.to, types })
}

export function useAddInSight(): (what: Addable) => void {
  const addNode = useAddNode()
  return (what) => {
    const area = document.querySelector('.workflow-canvas')
    if (area === null) return
    const { left, top, width, height } = area.getBoundingClientRect()
    const [x, y] = canvasPoint({ x: left + width / 3, y: top + height / 4 }) ?? [0, 0]
    addNode(what, { x, y }, { isByKey: true })
  }
}
