import clsx from 'clsx'
import { bytes, counted } from '../../../../ui/format.ts'
import { type ArtifactPiece, pieceId, pieceName } from './piece-name.ts'

/** The pieces of an artifact, largest first. */
export type PieceTableProps = {
  readonly pieces: readonly ArtifactPiece[]
  readonly unpackedBytes: number
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

const KIND_WORDS: Readonly<Record<ArtifactPiece['kind'], string>> = {
  package: 'package',
  project: 'project',
  generated: 'generated',
}

/** The same as the treemap in words; the row of the chosen piece is in sight. */
export function PieceTable({ pieces, unpackedBytes, chosen, onChoose }: PieceTableProps) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      aria-label="Pieces"
      className="max-h-96 overflow-y-auto rounded-control border border-line"
    >
      <table className="w-full table-fixed text-left">
        <thead className="sticky top-0 bg-surface-1">
          <tr className="h-8 border-b border-line text-small text-ink-2">
            <th className="w-1/2 px-2 font-normal">Piece</th>
            <th className="px-2 font-normal">Kind</th>
            <th className="w-20 px-2 text-right font-normal">Size</th>
            <th className="w-14 px-2 text-right font-normal">Share</th>
          </tr>
        </thead>
        <tbody>
          {pieces.map((piece) => (
            <tr
              key={pieceId(piece)}
              ref={pieceId(piece) === chosen ? scrollIntoSight : null}
              aria-current={pieceId(piece) === chosen}
              onClick={() => onChoose(pieceId(piece))}
              className={clsx('h-7 border-b border-line/60', pieceId(piece) === chosen && 'bg-accent-soft')}
            >
              <td className="truncate px-2" title={`${pieceName(piece)}, ${counted(piece.files, 'file')}`}>
                {pieceName(piece)}{' '}
                {piece.version !== undefined && <span className="text-small text-ink-2">{piece.version}</span>}
              </td>
              <td className="truncate px-2 text-ink-2">{KIND_WORDS[piece.kind]}</td>
              <td className="px-2 text-right">{bytes(piece.bytes)}</td>
              <td className="px-2 text-right text-ink-2">{percent(piece.bytes / unpackedBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function scrollIntoSight(row: HTMLTableRowElement | null): void {
  row?.scrollIntoView({ block: 'nearest' })
}

const percent = (share: number) => (share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`)
