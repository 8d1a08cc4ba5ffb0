import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { around } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { createGraphViewer, type LinkView } from '../../../../src-main/features/workflows/rules/graph-view.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { keepStart } from '../../../../src-main/lib/text.ts'
import { type Box, isBare, nodeBox, shownInputs, slotMiddle, TITLE } from '../graph/geometry.ts'

export type PictureColours = {
  readonly ground: string | undefined
  readonly box: string
  readonly title: string
  readonly edge: string
  readonly ink: string
  readonly slot: (type: string) => string
}

export type Fit = { readonly scale: number; readonly left: number; readonly top: number }

export type Pen = Pick<
  CanvasRenderingContext2D,
  | ('beginPath' | 'bezierCurveTo' | 'fill' | 'fillRect' | 'fillText' | 'moveTo' | 'roundRect' | 'setTransform')
  | ('stroke' | 'fillStyle' | 'strokeStyle' | 'lineWidth' | 'globalAlpha' | 'font')
>

// Titles smaller than this are unreadable, size in px.
const READABLE_PX = 6
const TITLE_FONT_PX = 14
const RADIUS = 8
const OFF_ALPHA = 0.4
const GROUP_ALPHA = 0.15
// Document colours assume a dark background; as a tint they fit both.
const TINT_ALPHA = 0.5
// Lines thinner than this are invisible, px of the picture.
const LINE_PX = 1.6

export function paintGraph(
  pen: Pen,
  picture: GraphPicture,
  { fit, size, colours }: { readonly fit: Fit; readonly size: PictureSize; readonly colours: PictureColours },
): void {
  pen.setTransform(1, 0, 0, 1, 0, 0)
  if (colours.ground !== undefined) {
    pen.fillStyle = colours.ground
    pen.fillRect(0, 0, size.width, size.height)
  }
  const { scale, left, top } = fit
  pen.setTransform(scale, 0, 0, scale, left - picture.bounds.x * scale, top - picture.bounds.y * scale)
  const isReadable = TITLE_FONT_PX * scale >= READABLE_PX
  for (const group of picture.groups) paintGroup(pen, group, colours, isReadable)
  for (const link of picture.links) paintLink(pen, link, colours, scale)
  for (const node of picture.nodes) paintNode(pen, node, colours, isReadable)
}

export type PictureSize = { readonly width: number; readonly height: number }

function paintGroup(pen: Pen, { box, title, colour }: PictureGroup, { edge, ink }: PictureColours, named: boolean) {
  pen.globalAlpha = GROUP_ALPHA
  fillBox(pen, box, hexColour(colour) ?? edge)
  pen.globalAlpha = 1
  if (!named) return
  pen.fillStyle = ink
  writeTitle(pen, title, box.x + RADIUS, box.y + 20, box.width)
}

function paintLink(pen: Pen, { from, to, type }: PictureLink, { slot }: PictureColours, scale: number): void {
  const bend = Math.max(40, Math.abs(to[0] - from[0]) / 2)
  pen.strokeStyle = slot(type)
  pen.lineWidth = Math.max(2, LINE_PX / scale)
  pen.beginPath()
  pen.moveTo(...from)
  pen.bezierCurveTo(from[0] + bend, from[1], to[0] - bend, to[1], ...to)
  pen.stroke()
}

function paintNode(pen: Pen, node: GraphPicture['nodes'][number], colours: PictureColours, named: boolean): void {
  const { box, title, colour, isOff, isBare } = node
  const alpha = isOff ? OFF_ALPHA : 1
  pen.globalAlpha = alpha
  fillBox(pen, box, colours.box)
  const tint = hexColour(colour)
  if (tint !== undefined) {
    pen.globalAlpha = alpha * TINT_ALPHA
    fillBox(pen, box, tint)
    pen.globalAlpha = alpha
  }
  if (!isBare) fillBox(pen, { ...box, height: Math.min(TITLE, box.height) }, colours.title)
  pen.strokeStyle = colours.edge
  pen.lineWidth = 1.5
  rectangle(pen, box)
  pen.stroke()
  pen.fillStyle = colours.ink
  if (named && !isBare) writeTitle(pen, title, box.x + 10, box.y + 20, box.width)
  pen.globalAlpha = 1
}

function fillBox(pen: Pen, box: Box, colour: string): void {
  pen.fillStyle = colour
  rectangle(pen, box)
  pen.fill()
}

function rectangle(pen: Pen, { x, y, width, height }: Box): void {
  pen.beginPath()
  pen.roundRect(x, y, width, height, RADIUS)
}

// Mean character width; titles are cut at the edge.
const SIGN_WIDTH = 0.56

function writeTitle(pen: Pen, title: string, x: number, y: number, width: number): void {
  const most = Math.max(1, Math.floor((width - 20) / (TITLE_FONT_PX * SIGN_WIDTH)))
  pen.font = `${TITLE_FONT_PX}px 'Inter Variable', system-ui, sans-serif`
  pen.fillText(keepStart(title, most), x, y)
}

// Invalid colours in files must not keep the canvas's previous one.
function hexColour(colour: string | undefined): string | undefined {
  return colour !== undefined && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(colour) ? colour : undefined
}

export function fitInto({ bounds }: GraphPicture, { width, height }: PictureSize, margin: number): Fit {
  const free = { width: width - 2 * margin, height: height - 2 * margin }
  const scale = Math.min(1, free.width / Math.max(1, bounds.width), free.height / Math.max(1, bounds.height))
  return { scale, left: (width - bounds.width * scale) / 2, top: (height - bounds.height * scale) / 2 }
}

type GraphPicture = ReturnType<typeof graphPicture>
type PictureLink = GraphPicture['links'][number]
type PictureGroup = GraphPicture['groups'][number]

type NodeWithBox = { readonly view: NodeView; readonly box: Box }

const NOTHING: Box = { x: 0, y: 0, width: 0, height: 0 }

export function graphPicture(document: WorkflowDocument, types: NodeTypes) {
  // Uses the canvas view, since widgets a host shows of its subgraph make it taller.
  const view = createGraphViewer()(document, undefined, types)
  const nodesById = new Map<string, NodeWithBox>()
  for (const [at, one] of view?.nodes.entries() ?? []) {
    const node = document.nodes.items[at]
    nodesById.set(one.id, { view: one, box: nodeBox(one, node?.pos, node?.size) })
  }
  const nodes = [...nodesById.values()].map(({ view: one, box }) => {
    const { title, bgcolor, color, mode } = one
    return { box, title, colour: bgcolor ?? color, isOff: mode !== 'always', isBare: isBare(one) }
  })
  const groups = (view?.groups ?? []).map(({ bounds: box, title, color: colour }) => ({ box, title, colour }))
  const boxes = [...nodes, ...groups].map(({ box }) => box)
  return { bounds: around(boxes) ?? NOTHING, nodes, links: linksOf(view?.links ?? [], nodesById), groups }
}

function linksOf(links: readonly LinkView[], nodesById: ReadonlyMap<string, NodeWithBox>) {
  return links.flatMap(({ from, to, type }) => {
    const [source, target] = [nodesById.get(from.node), nodesById.get(to.node)]
    if (source === undefined || target === undefined) return []
    const row = shownInputs(target.view).findIndex(({ at }) => at === to.slot)
    const start = source.box.y + slotMiddle(source.view, from.slot, source.box.height)
    const end = target.box.y + slotMiddle(target.view, Math.max(0, row), target.box.height)
    return [{ from: [source.box.x + source.box.width, start], to: [target.box.x, end], type } as const]
  })
}
