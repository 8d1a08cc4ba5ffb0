/** A graph from far away, as paths by colour in pixels of the canvas of nodes. */
import type { CanvasNode, FlowLink } from './flow-types.ts'
import { placesOfLink } from './link-ends.ts'
import { linkPath } from './link-path.ts'
import { fullColour, safeColour } from './node-colours.ts'
import { slotColour } from './slot-colour.ts'

/** What is drawn, in this order. */
export type OverviewPaths = {
  readonly groups: Paths
  readonly links: Paths
  readonly nodes: Paths
}

type Paths = ReadonlyMap<string, Path2D>

/** Makes the paths. @param isBare nodes are drawn too, and links are straight */
export function overviewPaths(
  nodes: readonly CanvasNode[],
  links: readonly FlowLink[],
  isBare: boolean,
): OverviewPaths {
  const boxes = isBare ? nodes : []
  return {
    groups: rectangles(boxes.filter(({ type }) => type === 'box')),
    links: curves(nodes, links, isBare),
    nodes: rectangles(boxes.filter(({ type }) => type !== 'box' && type !== 'waypoint')),
  }
}

/** The colour of a node from far away: `var(--...)` or a CSS colour. */
export function farColour(node: CanvasNode): string {
  if (node.selected === true) return 'var(--accent)'
  if (node.type === 'box') return safeColour(node.data.color) ?? 'var(--accent)'
  if (node.type === 'node' && node.data.view.kind === 'unknown') return 'var(--failed)'
  if (node.type !== 'node') return 'var(--line-strong)'
  const { bgcolor, color } = node.data.view
  return fullColour(bgcolor) ?? fullColour(color) ?? 'var(--line-strong)'
}

function rectangles(nodes: readonly CanvasNode[]): Paths {
  const paths = new Map<string, Path2D>()
  for (const node of nodes) {
    const { position, width = 0, height = 0 } = node
    pathOf(paths, farColour(node)).rect(position.x, position.y, width, height)
  }
  return paths
}

function curves(nodes: readonly CanvasNode[], links: readonly FlowLink[], isBare: boolean): Paths {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const paths = new Map<string, Path2D>()
  for (const link of links) {
    const ends = placesOfLink(link, byId)
    if (ends === undefined) continue
    const { from, to } = ends
    const { data } = link
    const path = pathOf(paths, slotColour(data?.type ?? '*'))
    if (!isBare) path.addPath(new Path2D(linkPath(from, to, data?.points ?? [])))
    else {
      path.moveTo(from.x, from.y)
      path.lineTo(to.x, to.y)
    }
  }
  return paths
}

function pathOf(paths: Map<string, Path2D>, colour: string): Path2D {
  const path = paths.get(colour) ?? new Path2D()
  paths.set(colour, path)
  return path
}
