import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'

/** A piece of the whole. */
export type Piece<Kind extends string> = {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  readonly size: number
}

/** A piece with its place, as shares of the whole, 0 to 1. */
export type Tile<Kind extends string> = {
  readonly piece: Piece<Kind>
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

type Whole<Kind extends string> = { readonly children: readonly Piece<Kind>[] }

/** Divides an area so that each piece has its share of it, in tiles as square as they can be. @param ratio width by height */
export function placeTiles<Kind extends string>(pieces: readonly Piece<Kind>[], ratio: number): readonly Tile<Kind>[] {
  const sized = pieces.filter(({ size }) => size > 0)
  if (sized.length === 0) return []
  const root = hierarchy<Whole<Kind> | Piece<Kind>>({ children: sized })
    .sum((one) => ('size' in one ? one.size : 0))
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0))
  const placed = treemap<Whole<Kind> | Piece<Kind>>().tile(treemapSquarify).size([ratio, 1])(root)
  return placed.leaves().flatMap(({ data, x0, x1, y0, y1 }) => {
    if (!('size' in data)) return []
    return [{ piece: data, left: x0 / ratio, top: y0, width: (x1 - x0) / ratio, height: y1 - y0 }]
  })
}
