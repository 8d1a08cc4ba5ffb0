import clsx from 'clsx'
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import { useMemo } from 'react'
import { bytes } from './format.ts'

export type TreemapProps<Kind extends string> = {
  readonly label: string
  readonly pieces: readonly Piece<Kind>[]
  readonly styles: Readonly<Record<Kind, string>>
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

const ASPECT_RATIO = 2
// Smaller tiles have no room for a name; shares of the whole.
const NAMED = { width: 0.07, height: 0.07 } as const
const SIZED = { width: 0.07, height: 0.13 } as const

export function Treemap<Kind extends string>({ label, pieces, styles, chosen, onChoose }: TreemapProps<Kind>) {
  const tiles = useMemo(() => layOutTiles(pieces, ASPECT_RATIO), [pieces])
  return (
    <div aria-hidden data-treemap={label} className="relative aspect-[2/1] w-full overflow-hidden rounded-control">
      {tiles.map(({ piece, left, top, width, height }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the row of the table does the same by keys
        <div
          key={piece.id}
          title={`${piece.name}, ${bytes(piece.size)}`}
          onClick={() => onChoose(piece.id)}
          className={clsx(
            'absolute cursor-pointer overflow-hidden border border-surface-1 px-1 text-small leading-tight hover:brightness-95',
            styles[piece.kind],
            piece.id === chosen && 'outline-2 -outline-offset-2 outline-accent',
          )}
          style={{ left: part(left), top: part(top), width: part(width), height: part(height) }}
        >
          {width >= NAMED.width && height >= NAMED.height && <div className="truncate pt-0.5">{piece.name}</div>}
          {width >= SIZED.width && height >= SIZED.height && (
            <div className="truncate text-ink-2">{bytes(piece.size)}</div>
          )}
        </div>
      ))}
    </div>
  )
}

const part = (share: number) => `${(share * 100).toFixed(3)}%`

type Piece<Kind extends string> = {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  readonly size: number
}

/** Position as shares of the whole, 0 to 1. */
type Tile<Kind extends string> = {
  readonly piece: Piece<Kind>
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

type Whole<Kind extends string> = { readonly children: readonly Piece<Kind>[] }

export function layOutTiles<Kind extends string>(pieces: readonly Piece<Kind>[], ratio: number): readonly Tile<Kind>[] {
  const sized = pieces.filter(({ size }) => size > 0)
  if (sized.length === 0) return []
  const root = hierarchy<Whole<Kind> | Piece<Kind>>({ children: sized })
    .sum((one) => ('size' in one ? one.size : 0))
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0))
  const laidOut = treemap<Whole<Kind> | Piece<Kind>>().tile(treemapSquarify).size([ratio, 1])(root)
  return laidOut.leaves().flatMap(({ data, x0, x1, y0, y1 }) => {
    if (!('size' in data)) return []
    return [{ piece: data, left: x0 / ratio, top: y0, width: (x1 - x0) / ratio, height: y1 - y0 }]
  })
}
