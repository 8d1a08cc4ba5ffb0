/** Where everything is in a drawing of a whole graph: the small ones of the library, and those that are saved as files. */
import {
  type Graph,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../../src-main/domain/workflow/document/document.ts'
import type { Pair } from '../../../../../src-main/domain/workflow/document/values.ts'
import { asDouble, isArray } from '../../../../../src-main/domain/workflow/json/value.ts'
import type { NodeTypes } from '../../../../../src-main/domain/workflow/node-types.ts'
import { type NodeView, nodeView } from '../../../../../src-main/domain/workflow/view/node-view.ts'
import { type Box, isBare, nodeBox, shownInputs, slotMiddle } from '../../canvas/geometry.ts'

/** A node as a box. */
export type PictureNode = {
  readonly box: Box
  readonly title: string
  /** Colour that a person gave it. */
  readonly colour: string | undefined
  /** It is muted or bypassed. */
  readonly isOff: boolean
  /** It has no title bar. */
  readonly isBare: boolean
}

/** A link as a line. */
export type PictureLink = { readonly from: Pair; readonly to: Pair; readonly type: string }

/** A group as a frame. */
export type PictureGroup = { readonly box: Box; readonly title: string; readonly colour: string | undefined }

/** A graph as boxes and lines, in pixels of the canvas. */
export type GraphPicture = {
  readonly bounds: Box
  readonly nodes: readonly PictureNode[]
  readonly links: readonly PictureLink[]
  readonly groups: readonly PictureGroup[]
}

type Placed = { readonly view: NodeView; readonly box: Box; readonly bgcolor: string | undefined }

/** Lays out the outermost graph of a document. */
export function graphPicture(document: WorkflowDocument, types: NodeTypes): GraphPicture {
  const definitions = subgraphsOf(document)
  const placed = new Map<string, Placed>()
  for (const node of document.nodes.items) {
    const known = { type: types.get(node.type ?? ''), subgraph: definitions.get(node.type ?? '') }
    const view = nodeView(node, known)
    placed.set(view.id, { view, box: nodeBox(view, node.pos, node.size), bgcolor: node.bgcolor ?? node.color })
  }
  const nodes = [...placed.values()].map(({ view, box, bgcolor }): PictureNode => {
    return { box, title: view.title, colour: bgcolor, isOff: view.mode !== 'always', isBare: isBare(view) }
  })
  const groups = groupsOf(document)
  const boxes = [...nodes, ...groups].map(({ box }) => box)
  return { bounds: boundsOf(boxes), nodes, links: linksOf(document, placed), groups }
}

function linksOf({ links }: Graph, placed: ReadonlyMap<string, Placed>): readonly PictureLink[] {
  return links.items.flatMap(({ from, to, type }) => {
    const [source, target] = [placed.get(from.node), placed.get(to.node)]
    if (source === undefined || target === undefined) return []
    const row = shownInputs(target.view).findIndex(({ at }) => at === to.slot)
    const start = source.box.y + slotMiddle(source.view, from.slot, source.box.height)
    const end = target.box.y + slotMiddle(target.view, Math.max(0, row), target.box.height)
    return [{ from: [source.box.x + source.box.width, start], to: [target.box.x, end], type } as const]
  })
}

function groupsOf({ groups }: Graph): readonly PictureGroup[] {
  return groups.items.flatMap(({ bounding, title = '', color: colour }) => {
    const [x, y, width, height] = isArray(bounding) ? bounding.map(asDouble) : []
    if (x === undefined || y === undefined || width === undefined || height === undefined) return []
    return [{ box: { x, y, width, height }, title, colour }]
  })
}

function boundsOf(boxes: readonly Box[]): Box {
  const least = (pick: (box: Box) => number) =>
    boxes.reduce((sum, box) => Math.min(sum, pick(box)), Number.POSITIVE_INFINITY)
  const most = (pick: (box: Box) => number) =>
    boxes.reduce((sum, box) => Math.max(sum, pick(box)), Number.NEGATIVE_INFINITY)
  if (boxes.length === 0) return { x: 0, y: 0, width: 0, height: 0 }
  const [x, y] = [least((box) => box.x), least((box) => box.y)]
  return { x, y, width: most((box) => box.x + box.width) - x, height: most((box) => box.y + box.height) - y }
}
