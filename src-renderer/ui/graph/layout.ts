import { Graph, layout } from '@dagrejs/dagre'

export type Box = { readonly id: string; readonly width: number; readonly height: number }

/** An arrow between two boxes. `labelWidth`: space for its label, px. */
export type Arrow = { readonly from: string; readonly to: string; readonly labelWidth: number }

export type Corner = { readonly x: number; readonly y: number }

const BETWEEN_RANKS = 64
const BETWEEN_BOXES = 24
const LABEL_HEIGHT = 16

/**
 * Lays a graph out from left to right. Boxes without arrows are in rows below it, because a column of thirty would be
 * out of view.
 */
export function layOutBoxes(boxes: readonly Box[], arrows: readonly Arrow[]): Readonly<Record<string, Corner>> {
  const touched = new Set(arrows.flatMap(({ from, to }) => [from, to]))
  const joined = boxes.filter(({ id }) => touched.has(id))
  const alone = boxes.filter(({ id }) => !touched.has(id))
  const { positions, width, height } = layOutJoined(joined, arrows)
  return { ...positions, ...layOutInRows(alone, { width, top: height === 0 ? 0 : height + BETWEEN_RANKS }) }
}

function layOutJoined(boxes: readonly Box[], arrows: readonly Arrow[]) {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: BETWEEN_BOXES, ranksep: BETWEEN_RANKS })
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height })
  for (const { from, to, labelWidth } of arrows)
    graph.setEdge(from, to, { width: labelWidth, height: LABEL_HEIGHT, labelpos: 'c' })
  if (boxes.length > 0) layout(graph)
  const positions: Record<string, Corner> = {}
  for (const { id, width, height } of boxes) {
    const { x, y } = graph.node(id) as Corner
    positions[id] = { x: x - width / 2, y: y - height / 2 }
  }
  const ends = boxes.map(({ id, width, height }) => ({
    right: (positions[id]?.x ?? 0) + width,
    bottom: (positions[id]?.y ?? 0) + height,
  }))
  return {
    positions,
    width: Math.max(0, ...ends.map(({ right }) => right)),
    height: Math.max(0, ...ends.map(({ bottom }) => bottom)),
  }
}

type Room = { readonly width: number; readonly top: number }

function layOutInRows(boxes: readonly Box[], { width, top }: Room): Readonly<Record<string, Corner>> {
  const widest = Math.max(0, ...boxes.map((box) => box.width)) + BETWEEN_BOXES
  const inWidth = Math.floor((width + BETWEEN_BOXES) / widest)
  const perRow = Math.max(1, inWidth, Math.ceil(Math.sqrt(boxes.length)))
  const positions: Record<string, Corner> = {}
  let y = top
  for (let first = 0; first < boxes.length; first += perRow) {
    const row = boxes.slice(first, first + perRow)
    row.forEach(({ id }, at) => {
      positions[id] = { x: at * widest, y }
    })
    y += Math.max(...row.map(({ height }) => height)) + BETWEEN_BOXES
  }
  return positions
}
