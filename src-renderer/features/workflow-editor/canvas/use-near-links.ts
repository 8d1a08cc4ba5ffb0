import { type ReactFlowState, useStore } from '@xyflow/react'
import { useMemo } from 'react'
import type { CanvasNode, FlowLink } from '../graph/flow-types.ts'
import type { Box } from '../graph/geometry.ts'
import { boundsOfNodes } from '../graph/viewport.ts'

// Fewer cost React Flow little.
const MANY = 200

/**
 * Links in and around the view, since React Flow examines each of its links in every frame of a moving view. They
 * change only when the view moves into another cell.
 */
export function useNearLinks(links: readonly FlowLink[], nodes: readonly CanvasNode[]): readonly FlowLink[] {
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

export function linksWithin(room: Box, links: readonly FlowLink[], nodes: readonly CanvasNode[]): readonly FlowLink[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return links.filter(({ source, target }) => {
    const box = boundsOfNodes([source, target].flatMap((id) => byId.get(id) ?? []))
    if (box === undefined) return false
    const isAcross = box.x < room.x + room.width && box.x + box.width > room.x
    return isAcross && box.y < room.y + room.height && box.y + box.height > room.y
  })
}
