import { useReactFlow } from '@xyflow/react'
import { type PointerEvent, useRef } from 'react'
import type { CanvasNode } from '../graph/flow-types.ts'
import type { Box } from '../graph/geometry.ts'
import { boundsOfNodes } from '../graph/viewport.ts'
import { type ColourOf, colourReader, farColour, useDrawnView, type View } from './Overview.tsx'

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
    // Read once, because each read makes the browser resolve all styles.
    const accent = colourOf('var(--accent)')
    return (view: View) => drawView(context, picture, view, frame.current, accent)
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
  colour: string,
): void {
  context.clearRect(0, 0, WIDTH * 2, HEIGHT * 2)
  context.drawImage(picture, 0, 0)
  context.strokeStyle = colour
  context.lineWidth = 3
  const scale = frame.scale * 2
  context.strokeRect(
    (-x / zoom - frame.x) * scale,
    (-y / zoom - frame.y) * scale,
    (width / zoom) * scale,
    (height / zoom) * scale,
  )
}
