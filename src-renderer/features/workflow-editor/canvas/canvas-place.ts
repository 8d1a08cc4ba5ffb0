import type { Pair } from '../../../../src-main/domain/workflow/document/values.ts'
import type { Point } from '../store/canvas-store.ts'

/** The place of the canvas at a place of the window, px; undefined where it is not over the canvas. */
export function canvasPlace(at: Point): Pair | undefined {
  const view = document.elementFromPoint(at.x, at.y)?.closest('.react-flow')?.querySelector('.react-flow__viewport')
  if (view === null || view === undefined) return undefined
  // The canvas moves and scales this element from its upper left corner.
  const { left, top } = view.getBoundingClientRect()
  const { a: scale } = new DOMMatrixReadOnly(getComputedStyle(view).transform)
  return [Math.round((at.x - left) / scale), Math.round((at.y - top) / scale)]
}

/** The place of the window at a place of the canvas, px; undefined where there is no canvas. */
export function windowPlace([x, y]: Pair): Point | undefined {
  const view = document.querySelector('.workflow-canvas .react-flow__viewport')
  if (view === null) return undefined
  const { left, top } = view.getBoundingClientRect()
  const { a: scale } = new DOMMatrixReadOnly(getComputedStyle(view).transform)
  return { x: left + x * scale, y: top + y * scale }
}
