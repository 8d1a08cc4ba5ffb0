/** Shapes by their distance: negative inside. */

/** Distance of a point from an outline. */
export type Shape = (x: number, y: number) => number

/** Of a way. Shapes are asked for each pixel, and `Math.hypot` takes ten times as long. */
export const length = (x: number, y: number): number => Math.sqrt(x * x + y * y)

/** An ellipse by its middle and half axes. */
export const ellipse =
  (middleX: number, middleY: number, halfWidth: number, halfHeight: number): Shape =>
  (x, y) =>
    (length((x - middleX) / halfWidth, (y - middleY) / halfHeight) - 1) * Math.min(halfWidth, halfHeight)

/** A box by its middle and half sides. */
export const box =
  (middleX: number, middleY: number, halfWidth: number, halfHeight: number): Shape =>
  (x, y) =>
    Math.max(Math.abs(x - middleX) - halfWidth, Math.abs(y - middleY) - halfHeight)

/** A shape of straight lines, by its corners: x and y in turn. */
export function corners(...places: readonly number[]): Shape {
  const count = places.length / 2
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY
    let isInside = false
    // Plain numbers, as this is done for each pixel: those that lie in an array or a pair cost a multiple.
    let x1 = places[count * 2 - 2] as number
    let y1 = places[count * 2 - 1] as number
    for (let to = 0; to < count; to += 1) {
      const x2 = places[to * 2] as number
      const y2 = places[to * 2 + 1] as number
      const dx = x2 - x1
      const dy = y2 - y1
      const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
      const awayX = x - x1 - along * dx
      const awayY = y - y1 - along * dy
      nearest = Math.min(nearest, awayX * awayX + awayY * awayY)
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
      x1 = x2
      y1 = y2
    }
    return isInside ? -Math.sqrt(nearest) : Math.sqrt(nearest)
  }
}

/** All that any of them covers. */
export const union =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) => {
    let nearest = Number.POSITIVE_INFINITY
    for (const shape of shapes) nearest = Math.min(nearest, shape(x, y))
    return nearest
  }

/** The first without what the second covers. */
export const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    Math.max(shape(x, y), -hole(x, y))
