import { type ReactFlowState, useStore } from '@xyflow/react'
import { useMemo } from 'react'
import type { CanvasNode, FlowLink } from '../graph/flow-types.ts'
import type { Box } from '../graph/geometry.ts'

// Fewer cost React Flow little.
const MANY = 200

/**
 * Links in and around the view, as React Flow examines each in every frame of a moving view. They change only when the
 * view enters another cell.
 */
export function useVisibleLinks(links: readonly FlowLink[], nodes: readonly CanvasNode[]): readonly FlowLink[] {
  const isMany = links.length > MANY
  const key = useStore((state) => (isMany ? Object.values(cellsAround(state)).join(' ') : undefined))
  return useMemo(() => {
    if (key === undefined) return links
    const [x = 0, y = 0, width = 0, height = 0] = key.split(' ').map(Number)
    return linksWithin({ x, y, width, height }, links, nodes)
  }, [links, nodes, key])
}

/** Three by three cells, px of the canvas: the view is at most two cells wide and high. */
export function cellsAround({
  transform: [x, y, zoom],
  width,
  height,
}: Pick<ReactFlowState, 'transform' | 'width' | 'height'>): Box {
  const [across, down] = [cellSize(width / zoom), cellSize(height / zoom)]
  const [column, row] = [Math.floor(-x / zoom / across), Math.floor(-y / zoom / down)]
  return { x: column * across, y: row * down, width: 3 * across, height: 3 * down }
}

// A power of two, so that it changes seldom while zooming.
const cellSize = (visible: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, visible) / 2))

/** Makes no box per link, because each frame of a drag examines all links. */
export function linksWithin(
  { x, y, width, height }: Box,
  links: readonly FlowLink[],
  nodes: readonly CanvasNode[],
): readonly FlowLink[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return links.filter(({ source, target }) => {
    const from = byId.get(source)
    const to = byId.get(target)
    if (from === undefined || to === undefined) return false
    const isAcross = Math.min(from.position.x, to.position.x) < x + width && Math.max(rightOf(from), rightOf(to)) > x
    const isDown = Math.min(from.position.y, to.position.y) < y + height && Math.max(bottomOf(from), bottomOf(to)) > y
    return isAcross && isDown
  })
}

const rightOf = ({ position, width = 0 }: CanvasNode): number => position.x + width

const bottomOf = ({ position, height = 0 }: CanvasNode): number => position.y + height
