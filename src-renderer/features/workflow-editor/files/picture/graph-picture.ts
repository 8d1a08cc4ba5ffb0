/** Where everything is in a drawing of a whole graph: the small ones of the library, and those that are saved as files. */
import type { WorkflowDocument } from '../../../../../src-main/domain/workflow/document/document.ts'
import type { Pair } from '../../../../../src-main/domain/workflow/document/values.ts'
import { around } from '../../../../../src-main/domain/workflow/edit/groups.ts'
import type { NodeTypes } from '../../../../../src-main/domain/workflow/node-types.ts'
import { createGraphViewer, type LinkView } from '../../../../../src-main/domain/workflow/view/graph-view.ts'
import type { NodeView } from '../../../../../src-main/domain/workflow/view/node-view.ts'
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

type Placed = { readonly view: NodeView; readonly box: Box }

const NOTHING: Box = { x: 0, y: 0, width: 0, height: 0 }

/** Lays out the outermost graph of a document. */
export function graphPicture(document: WorkflowDocument, types: NodeTypes): GraphPicture {
  // As the canvas shows it: what a host shows of its subgraph makes it higher.
  const view = createGraphViewer()(document, undefined, types)
  if (view === undefined) return { bounds: NOTHING, nodes: [], links: [], groups: [] }
  const placed = new Map<string, Placed>()
  for (const [at, one] of view.nodes.entries()) {
    const node = document.nodes.items[at]
    placed.set(one.id, { view: one, box: nodeBox(one, node?.pos, node?.size) })
  }
  const nodes = [...placed.values()].map(({ view: one, box }): PictureNode => {
    const { title, bgcolor, color, mode } = one
    return { box, title, colour: bgcolor ?? color, isOff: mode !== 'always', isBare: isBare(one) }
  })
  const groups = view.groups.map(({ bounds: box, title, color: colour }) => ({ box, title, colour }))
  const boxes = [...nodes, ...groups].map(({ box }) => box)
  return { bounds: around(boxes) ?? NOTHING, nodes, links: linksOf(view.links, placed), groups }
}

function linksOf(links: readonly LinkView[], placed: ReadonlyMap<string, Placed>): readonly PictureLink[] {
  return links.flatMap(({ from, to, type }) => {
    const [source, target] = [placed.get(from.node), placed.get(to.node)]
    if (source === undefined || target === undefined) return []
    const row = shownInputs(target.view).findIndex(({ at }) => at === to.slot)
    const start = source.box.y + slotMiddle(source.view, from.slot, source.box.height)
    const end = target.box.y + slotMiddle(target.view, Math.max(0, row), target.box.height)
    return [{ from: [source.box.x + source.box.width, start], to: [target.box.x, end], type } as const]
  })
}
