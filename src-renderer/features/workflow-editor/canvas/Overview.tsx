import { type ReactFlowState, useReactFlow, useStoreApi } from '@xyflow/react'
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { isMissing } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { useColours } from '../../../ui/colours.ts'
import { fullColour, safeColour, slotColour } from '../graph/colours.ts'
import type { CanvasNode, FlowLink } from '../graph/flow-types.ts'
import type { Box } from '../graph/geometry.ts'
import { endsOfLink, linkPath } from '../graph/links.ts'
import { boundsOfNodes } from '../graph/viewport.ts'
import { useDetail } from './use-overview.ts'

const LINK_WIDTH = 2.5
const LEAST_SCREEN_WIDTH = 0.8

type OverviewProps = { readonly nodes: readonly CanvasNode[]; readonly links: readonly FlowLink[] }

/** One canvas for links, and at very small zoom nodes, because thousands of elements take seconds. */
export function Overview({ nodes, links }: OverviewProps) {
  const isBare = useDetail() === 'bare'
  const prepare = (context: CanvasRenderingContext2D) => {
    const paths = overviewPaths(nodes, links, isBare)
    const colourOf = colourReader(context.canvas)
    context.canvas.dataset.nodes = String(isBare ? nodes.length : 0)
    return (view: View) => draw(context, paths, view, colourOf)
  }
  const canvas = useDrawnView(prepare, [nodes, links, isBare])
  return <canvas ref={canvas} aria-hidden className="pointer-events-none absolute inset-0 z-0 size-full" />
}

type View = Pick<ReactFlowState, 'transform' | 'width' | 'height'>
type ColourOf = (name: string) => string

/**
 * Draws on a canvas, again in the frame after a viewport change.
 * @param prepare returns the function that draws; called again if `parts` or the colours change
 */
function useDrawnView(
  prepare: (context: CanvasRenderingContext2D) => (view: View) => void,
  parts: readonly unknown[],
): RefObject<HTMLCanvasElement | null> {
  const store = useStoreApi()
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are other values of the same names
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context == null) return undefined
    const drawView = prepare(context)
    drawView(store.getState())
    let waiting = 0
    const stop = store.subscribe((now, before) => {
      if (now.transform === before.transform && now.width === before.width && now.height === before.height) return
      if (waiting !== 0) return
      waiting = requestAnimationFrame(() => {
        waiting = 0
        drawView(store.getState())
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(waiting)
    }
  }, [store, colours, ...parts])
  return canvas
}

// Read once, because each read makes the browser resolve all styles.
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
  { links, groups, nodes }: ReturnType<typeof overviewPaths>,
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

type Paths = ReadonlyMap<string, Path2D>

function overviewPaths(nodes: readonly CanvasNode[], links: readonly FlowLink[], isBare: boolean) {
  const boxes = isBare ? nodes : []
  return {
    groups: rectangles(boxes.filter(({ type }) => type === 'box')),
    links: curves(nodes, links, isBare),
    nodes: rectangles(boxes.filter(({ type }) => type !== 'box' && type !== 'waypoint')),
  }
}

function farColour(node: CanvasNode): string {
  if (node.selected === true) return 'var(--accent)'
  if (node.type === 'box') return safeColour(node.data.color) ?? 'var(--accent)'
  if (node.type === 'node' && isMissing(node.data.view)) return 'var(--failed)'
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
    const ends = endsOfLink(link, byId)
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

type Frame = { readonly x: number; readonly y: number; readonly scale: number }

const WIDTH = 180
const HEIGHT = 120
const MARGIN = 6
// Maximum scale, so that a small graph does not fill the map.
const MOST_SCALE = 0.2
const GROUP_ALPHA = 0.25
const NOTHING: Box = { x: 0, y: 0, width: 0, height: 0 }

/** The whole graph with the visible part. The library's minimap creates an element per node. */
export function Minimap({ nodes }: { readonly nodes: readonly CanvasNode[] }) {
  const { setCenter, getZoom } = useReactFlow()
  const frame = useRef<Frame>({ x: 0, y: 0, scale: 1 })
  const prepare = (context: CanvasRenderingContext2D) => {
    const picture = document.createElement('canvas')
    const colourOf = colourReader(context.canvas)
    const drawn = picture.getContext('2d')
    if (drawn !== null) frame.current = drawNodes(drawn, nodes, colourOf)
    return (view: View) => drawView(context, picture, view, frame.current, colourOf)
  }
  const canvas = useDrawnView(prepare, [nodes])

  function lead(event: PointerEvent<HTMLCanvasElement>) {
    if (event.buttons !== 1) return
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const { x, y, scale } = frame.current
    const at = { x: (event.clientX - left) / scale + x, y: (event.clientY - top) / scale + y }
    void setCenter(at.x, at.y, { zoom: getZoom() })
  }

  return (
    <canvas
      ref={canvas}
      width={WIDTH * 2}
      height={HEIGHT * 2}
      role="img"
      aria-label="Overview of the graph"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        lead(event)
      }}
      onPointerMove={lead}
      style={{ width: WIDTH, height: HEIGHT }}
      className="absolute top-12 right-2 z-10 hidden rounded-control border border-line bg-surface-1 shadow-float min-[1200px]:block"
    />
  )
}

// Drawn separately, because nodes change seldom and the viewport every frame.
function drawNodes(context: CanvasRenderingContext2D, nodes: readonly CanvasNode[], colourOf: ColourOf): Frame {
  const { canvas } = context
  canvas.width = WIDTH * 2
  canvas.height = HEIGHT * 2
  const bounds = boundsOfNodes(nodes) ?? NOTHING
  const scale = Math.min((WIDTH - 2 * MARGIN) / bounds.width, (HEIGHT - 2 * MARGIN) / bounds.height, MOST_SCALE)
  const frame = {
    scale,
    x: bounds.x + bounds.width / 2 - WIDTH / 2 / scale,
    y: bounds.y + bounds.height / 2 - HEIGHT / 2 / scale,
  }
  for (const node of nodes) {
    const { position, width = 0, height = 0, type } = node
    context.fillStyle = colourOf(farColour(node))
    context.globalAlpha = type === 'box' ? GROUP_ALPHA : 1
    const [x, y] = [(position.x - frame.x) * scale * 2, (position.y - frame.y) * scale * 2]
    context.fillRect(x, y, Math.max(1, width * scale * 2), Math.max(1, height * scale * 2))
  }
  return frame
}

function drawView(
  context: CanvasRenderingContext2D,
  picture: HTMLCanvasElement,
  { transform: [x, y, zoom], width, height }: View,
  frame: Frame,
  colourOf: ColourOf,
): void {
  context.clearRect(0, 0, WIDTH * 2, HEIGHT * 2)
  context.drawImage(picture, 0, 0)
  context.strokeStyle = colourOf('var(--accent)')
  context.lineWidth = 3
  const scale = frame.scale * 2
  context.strokeRect(
    (-x / zoom - frame.x) * scale,
    (-y / zoom - frame.y) * scale,
    (width / zoom) * scale,
    (height / zoom) * scale,
  )
}
