import { type ReactFlowState, useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { useColours } from '../../../ui/use-colours.ts'
import { useDetail } from './detail.ts'
import type { CanvasNode, FlowLink } from './flow-types.ts'
import { type OverviewPaths, overviewPaths } from './overview-paths.ts'

const LINK_WIDTH = 2.5
const LEAST_SCREEN_WIDTH = 0.8

/** A graph from far away. Keep both lists the same between two drawings where they are. */
export type OverviewProps = { readonly nodes: readonly CanvasNode[]; readonly links: readonly FlowLink[] }

/**
 * All links at a small zoom, and from farther away all nodes, drawn at once on one canvas: thousands of them as elements of
 * their own would take seconds. The paths are made when the graph changes; moving the view only draws them anew.
 */
export function Overview({ nodes, links }: OverviewProps) {
  const store = useStoreApi()
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = useColours()
  const isBare = useDetail() === 'bare'

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are other values of the same names
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context == null) return undefined
    const paths = overviewPaths(nodes, links, isBare)
    const colourOf = colourReader(context.canvas)
    draw(context, paths, store.getState(), colourOf)
    context.canvas.dataset.nodes = String(isBare ? nodes.length : 0)
    let waiting = 0
    const stop = store.subscribe((now, before) => {
      if (now.transform === before.transform && now.width === before.width && now.height === before.height) return
      if (waiting !== 0) return
      waiting = requestAnimationFrame(() => {
        waiting = 0
        draw(context, paths, store.getState(), colourOf)
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(waiting)
    }
  }, [store, nodes, links, isBare, colours])

  return <canvas ref={canvas} aria-hidden className="pointer-events-none absolute inset-0 z-0 size-full" />
}

type View = Pick<ReactFlowState, 'transform' | 'width' | 'height'>
type ColourOf = (name: string) => string

// Asked for once: each asking makes the browser look through all styles.
function colourReader(element: Element): ColourOf {
  const style = getComputedStyle(element)
  const known = new Map<string, string>()
  return (colour) => {
    const found =
      known.get(colour) ?? (colour.startsWith('var(') ? style.getPropertyValue(colour.slice(4, -1)) : colour)
    known.set(colour, found)
    return found
  }
}

function draw(
  context: CanvasRenderingContext2D,
  { links, groups, nodes }: OverviewPaths,
  { transform: [x, y, zoom], width, height }: View,
  colourOf: ColourOf,
): void {
  const { canvas } = context
  const { devicePixelRatio: ratio } = window
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== across) canvas.width = across
  if (canvas.height !== down) canvas.height = down
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.clearRect(0, 0, across, down)
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio)
  for (const [colour, path] of groups) {
    context.globalAlpha = 0.18
    context.fillStyle = colourOf(colour)
    context.fill(path)
  }
  context.globalAlpha = 1
  context.lineWidth = Math.max(LINK_WIDTH, LEAST_SCREEN_WIDTH / zoom)
  for (const [colour, path] of links) {
    context.strokeStyle = colourOf(colour)
    context.stroke(path)
  }
  for (const [colour, path] of nodes) {
    context.fillStyle = colourOf(colour)
    context.fill(path)
  }
}
