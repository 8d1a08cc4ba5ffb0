import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Box } from '../graph/geometry.ts'
import type { Point } from '../store/canvas-store.ts'
import { type Brush, emptyMask, type Mask, type MaskHistory, paintLine, withMask } from './mask.ts'
import type { MaskedPicture } from './masked-picture.ts'

export type MaskCanvasProps = {
  readonly picture: MaskedPicture
  readonly history: MaskHistory
  readonly brush: Brush
  /** Window pixels per picture pixel. */
  readonly zoom: number
  /** Increases with each step, so that the mask is redrawn. */
  readonly version: number
  readonly onStep: () => void
  readonly onZoom: (factor: number) => void
  readonly scroller: RefObject<HTMLDivElement | null>
}

// Colour of the mask: red, green, blue, and greatest opacity.
const TINT = [255, 40, 90, 0.65] as const
const MIDDLE_BUTTON = 1
const WHEEL_ZOOM = 1.1

export function MaskCanvas({ picture, history, brush, zoom, version, onStep, onZoom, scroller }: MaskCanvasProps) {
  const { width, height } = picture
  const base = useRef<HTMLCanvasElement>(null)
  const tint = useRef<HTMLCanvasElement>(null)
  const last = useRef<Point>(undefined)
  const [spot, setSpot] = useState<Point>({ x: width / 2, y: height / 2 })

  useEffect(() => {
    const opaque = withMask(picture.pixels, emptyMask(picture.width, picture.height))
    base.current?.getContext('2d')?.putImageData(new ImageData(opaque, picture.width, picture.height), 0, 0)
  }, [picture])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is painted into; its version tells of it
  useEffect(() => draw(tint.current, history.mask(), { x: 0, y: 0, width, height }), [history, version, width, height])
  useEffect(() => {
    const element = scroller.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      // Otherwise the browser zooms the page; a React listener cannot prevent that.
      event.preventDefault()
      onZoom(event.deltaY < 0 ? WHEEL_ZOOM : 1 / WHEEL_ZOOM)
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [scroller, onZoom])

  const spotOf = ({ clientX, clientY }: PointerEvent): Point => {
    const box = tint.current?.getBoundingClientRect()
    return { x: (clientX - (box?.left ?? 0)) / zoom, y: (clientY - (box?.top ?? 0)) / zoom }
  }
  const paint = (from: Point, to: Point) =>
    draw(tint.current, history.mask(), paintLine(history.mask(), from, to, brush))

  const endStroke = () => {
    if (last.current === undefined) return
    last.current = undefined
    onStep()
  }
  const pointer = {
    onPointerDown(event: PointerEvent<HTMLCanvasElement>) {
      if (event.button > MIDDLE_BUTTON) return
      event.currentTarget.setPointerCapture(event.pointerId)
      if (event.button === MIDDLE_BUTTON) return event.preventDefault()
      const at = spotOf(event)
      history.begin()
      paint(at, at)
      last.current = at
    },
    onPointerMove(event: PointerEvent<HTMLCanvasElement>) {
      const at = spotOf(event)
      setSpot(at)
      if (last.current !== undefined) {
        paint(last.current, at)
        last.current = at
      } else if (event.buttons === 4) scroller.current?.scrollBy(-event.movementX, -event.movementY)
    },
    onPointerUp: endStroke,
    onPointerCancel: endStroke,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = Math.max(1, brush.size / (event.shiftKey ? 1 : 4))
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (way !== undefined) {
      const [across = 0, down = 0] = way
      const within = (value: number, most: number) => Math.min(most, Math.max(0, value))
      setSpot(({ x, y }) => ({ x: within(x + across * step, width), y: within(y + down * step, height) }))
    } else if (event.key === ' ') {
      history.begin()
      paint(spot, spot)
      onStep()
    } else return
    event.preventDefault()
  }
  return (
    <div className="relative m-auto shrink-0 overflow-hidden" style={{ width: width * zoom, height: height * zoom }}>
      <canvas ref={base} aria-hidden width={width} height={height} className="absolute inset-0 size-full" />
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrows are the brush's, and no reader's */}
      <canvas
        ref={tint}
        width={width}
        height={height}
        tabIndex={0}
        role="application"
        aria-label="Picture to paint the mask on: arrows move the brush, Space paints"
        {...pointer}
        onKeyDown={onKeyDown}
        className="absolute inset-0 size-full cursor-crosshair touch-none outline-accent"
      />
      <span
        aria-hidden
        className="pointer-events-none absolute rounded-full border border-surface-1 outline outline-ink"
        style={{
          width: brush.size * zoom,
          height: brush.size * zoom,
          left: (spot.x - brush.size / 2) * zoom,
          top: (spot.y - brush.size / 2) * zoom,
        }}
      />
    </div>
  )
}

function draw(canvas: HTMLCanvasElement | null, mask: Mask, { x, y, width, height }: Box): void {
  const context = canvas?.getContext('2d')
  if (context == null || width <= 0 || height <= 0) return
  const image = new ImageData(width, height)
  const [red, green, blue, most] = TINT
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const value = mask.data[(y + row) * mask.width + x + column] ?? 0
      const at = (row * width + column) * 4
      // Set one by one, because an array for each of millions of pixels would be slow.
      image.data[at] = red
      image.data[at + 1] = green
      image.data[at + 2] = blue
      image.data[at + 3] = value * most
    }
  context.putImageData(image, x, y)
}
