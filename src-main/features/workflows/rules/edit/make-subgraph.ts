import { type JsonValue, jsonNumber } from '../../../../lib/json/value.ts'
import {
  type BoundarySlot,
  type GraphNode,
  type Link,
  type LinkEnd,
  readSubgraph,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  type WorkflowDocument,
} from '../document/document.ts'
import { realLinks } from '../document/index-of.ts'
import { nodeSize } from '../document/node-size.ts'
import { bareNode } from './add-node.ts'
import { freeName, newBoundarySlot } from './boundary.ts'
import { withDefinition } from './definitions.ts'
import { editGraph, type GraphDraft, newIds } from './draft.ts'
import { changeGraph, type GraphAddress, graphAt } from './graph-at.ts'
import { addWaypoints, waysOf } from './graph-parts.ts'
import { around, nodeBounds, type Rectangle } from './groups.ts'
import { dropNodes } from './remove.ts'
import { addLink, newInput, newOutput, unlinked } from './slots.ts'

export type MadeSubgraph = { readonly document: WorkflowDocument; readonly host: string; readonly definition: string }

/**
 * Links to other nodes become inputs or outputs.
 * @returns undefined if none of the nodes exists
 */
export function makeSubgraph(
  document: WorkflowDocument,
  at: GraphAddress,
  { ids, name, newUuid }: { readonly ids: ReadonlySet<string>; readonly name: string; readonly newUuid: () => string },
): MadeSubgraph | undefined {
  const graph = graphAt(document, at)
  const nodes = graph?.nodes.items.filter(({ id = '' }) => ids.has(id)) ?? []
  const bounds = around(nodes.map(nodeBounds))
  if (graph === undefined || bounds === undefined) return undefined
  const id = newUuid()
  const links = realLinks(graph)
  const crossing = {
    inputs: crossings(links.filter(({ from, to }) => !ids.has(from.node) && ids.has(to.node))),
    outputs: crossings(links.filter(({ from, to }) => ids.has(from.node) && !ids.has(to.node))),
  }
  const inner = links.filter(({ from, to }) => ids.has(from.node) && ids.has(to.node))
  const boundary = {
    inputs: slotsFor(crossing.inputs, newUuid, (link) => inputName(nodes, link)),
    outputs: slotsFor(crossing.outputs, newUuid, (link) => outputName(nodes, link)),
  }
  const empty = withDefinition(document, emptyDefinition({ id, name, bounds, boundary }), at)
  const filled = editGraph(empty, id, (draft) => fill(draft, { nodes, inner, crossing, ways: waysOf(graph, inner) }))
  let host = ''
  const replaced = editGraph(filled, at, (draft) => {
    host = draft.newId('node')
    dropNodes(draft, ids)
    draft.nodes.put(hostNode({ id: host, definition: id, bounds, boundary }))
    crossing.inputs.forEach(({ from, links: [first] }, slot) => {
      addLink(draft, { from, to: { node: host, slot }, type: first?.type ?? '*' })
    })
    crossing.outputs.forEach(({ links: leaving }, slot) => {
      for (const { to, type } of leaving) addLink(draft, { from: { node: host, slot }, to, type })
    })
  })
  return { document: withCounters(replaced, id), host, definition: id }
}

type Crossing = { readonly from: LinkEnd; readonly links: readonly Link[] }

function crossings(links: readonly Link[]): readonly Crossing[] {
  const groups = Map.groupBy(links, (link) => `${link.from.node} ${link.from.slot}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ from: first.from, links: group }]
  })
}

function slotsFor(
  all: readonly Crossing[],
  newUuid: () => string,
  nameOf: (link: Link) => string,
): readonly BoundarySlot[] {
  const slots: BoundarySlot[] = []
  for (const { links } of all) {
    const [first] = links
    if (first === undefined) continue
    slots.push(newBoundarySlot({ id: newUuid(), name: freeName(nameOf(first), slots), type: first.type }))
  }
  return slots
}

function inputName(nodes: readonly GraphNode[], { to, type }: Link): string {
  const name = nodes.find(({ id }) => id === to.node)?.inputs.items[to.slot]?.name
  return name === undefined || name === '' ? type : name
}

function outputName(nodes: readonly GraphNode[], { from, type }: Link): string {
  const name = nodes.find(({ id }) => id === from.node)?.outputs.items[from.slot]?.name
  return name === undefined || name === '' ? type : name
}

type Boundary = { readonly inputs: readonly BoundarySlot[]; readonly outputs: readonly BoundarySlot[] }

const BOUNDARY_WIDTH = 120
const BOUNDARY_GAP = 80

function emptyDefinition(of: {
  readonly id: string
  readonly name: string
  readonly bounds: Rectangle
  readonly boundary: Boundary
}): Subgraph {
  const { bounds, boundary } = of
  const side = (id: string, x: number, slots: number): JsonValue => {
    const bounding = [x, bounds.y, BOUNDARY_WIDTH, 40 + 20 * slots].map(jsonNumber)
    return new Map<string, JsonValue>([
      ['id', { number: id }],
      ['bounding', bounding],
    ])
  }
  const left = bounds.x - BOUNDARY_WIDTH - BOUNDARY_GAP
  const right = bounds.x + bounds.width + BOUNDARY_GAP
  const definition = readSubgraph(
    new Map<string, JsonValue>([
      ['id', of.id],
      ['version', { number: '1' }],
      ['state', new Map()],
      ['revision', { number: '0' }],
      ['config', new Map()],
      ['name', of.name],
      ['inputNode', side(SUBGRAPH_INPUT, left, boundary.inputs.length)],
      ['outputNode', side(SUBGRAPH_OUTPUT, right, boundary.outputs.length)],
      ['inputs', []],
      ['outputs', []],
      ['widgets', []],
      ['nodes', []],
      ['groups', []],
      ['links', []],
      ['extra', new Map()],
    ]),
  )
  return {
    ...definition,
    inputs: { ...definition.inputs, items: boundary.inputs },
    outputs: { ...definition.outputs, items: boundary.outputs },
  }
}

type Filling = {
  readonly nodes: readonly GraphNode[]
  readonly inner: readonly Link[]
  readonly crossing: { readonly inputs: readonly Crossing[]; readonly outputs: readonly Crossing[] }
  readonly ways: Parameters<typeof addWaypoints>[1]
}

// Nodes keep their ids, because they left their graph. Links get new ones, because those of instances still exist.
function fill(draft: GraphDraft, { nodes, inner, crossing, ways }: Filling): void {
  for (const node of nodes) draft.nodes.put(unlinked(node))
  const linkIds = new Map(inner.map(({ id, from, to, type }) => [id, addLink(draft, { from, to, type })]))
  crossing.inputs.forEach(({ links }, slot) => {
    for (const { to, type } of links) addLink(draft, { from: { node: SUBGRAPH_INPUT, slot }, to, type })
  })
  crossing.outputs.forEach(({ from, links: [first] }, slot) => {
    addLink(draft, { from, to: { node: SUBGRAPH_OUTPUT, slot }, type: first?.type ?? '*' })
  })
  addWaypoints(draft, ways, linkIds, [0, 0])
}

function hostNode(of: {
  readonly id: string
  readonly definition: string
  readonly bounds: Rectangle
  readonly boundary: Boundary
}): GraphNode {
  const { bounds, boundary } = of
  const size = nodeSize(boundary.inputs.length, boundary.outputs.length, undefined)
  const [x, y] = [bounds.x + (bounds.width - size[0]) / 2, bounds.y + (bounds.height - size[1]) / 2]
  const node = bareNode({
    id: of.id,
    type: of.definition,
    pos: [Math.round(x), Math.round(y)],
    size,
    properties: new Map(),
    values: [],
  })
  const inputs = boundary.inputs.map(({ name = '', type }) => newInput({ name, type, isOptional: false }))
  return {
    ...node,
    inputs: { ...node.inputs, items: inputs },
    outputs: { ...node.outputs, items: boundary.outputs.map(({ name = '', type }) => newOutput({ name, type })) },
  }
}

// The counters of the definition include ids that the outer graph got after it.
function withCounters(document: WorkflowDocument, definition: string): WorkflowDocument {
  const state = newIds(document).state()
  return changeGraph(document, definition, () => ({ state }))
}
