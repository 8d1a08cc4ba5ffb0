/** Shapes by their distance: negative inside. */

/** Distance of a point from an outline. */
export type Shape = (x: number, y: number) => number

/** An ellipse by its middle and half axes. */
export const ellipse =
  (middleX: number, middleY: number, halfWidth: number, halfHeight: number): Shape =>
  (x, y) =>
    (Math.hypot((x - middleX) / halfWidth, (y - middleY) / halfHeight) - 1) * Math.min(halfWidth, halfHeight)

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
    for (let to = 0, from = count - 1; to < count; from = to, to += 1) {
      const [x1 = 0, y1 = 0] = [places[from * 2], places[from * 2 + 1]]
      const [x2 = 0, y2 = 0] = [places[to * 2], places[to * 2 + 1]]
      const [dx, dy] = [x2 - x1, y2 - y1]
      const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
      nearest = Math.min(nearest, Math.hypot(x - x1 - along * dx, y - y1 - along * dy))
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
    }
    return isInside ? -nearest : nearest
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
