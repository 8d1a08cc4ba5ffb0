import clsx from 'clsx'
import { useMemo } from 'react'
import { bytes } from '../format.ts'
import { type Piece, placeTiles } from './tiles.ts'

/** Sizes of the pieces of a whole. `looks` has the classes of each kind. Keep `pieces` the same between two drawings. */
export type TreemapProps<Kind extends string> = {
  readonly label: string
  readonly pieces: readonly Piece<Kind>[]
  readonly looks: Readonly<Record<Kind, string>>
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

// The area is this much wider than high.
const RATIO = 2
// What is smaller has no room for its name, as shares of the whole.
const NAMED = { width: 0.07, height: 0.07 } as const
const SIZED = { width: 0.07, height: 0.13 } as const

/** An area divided by size, for the eye; a table beside it tells the same to everybody. */
export function Treemap<Kind extends string>({ label, pieces, looks, chosen, onChoose }: TreemapProps<Kind>) {
  const tiles = useMemo(() => placeTiles(pieces, RATIO), [pieces])
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
            looks[piece.kind],
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
