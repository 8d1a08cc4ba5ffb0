import clsx from 'clsx'
import { useMemo, useState } from 'react'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { BuildView } from '../../../../src-main/contract/projects.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { bytes } from '../../../ui/format.ts'
import { Scrolling } from '../../../ui/Scrolling.tsx'
import { Treemap } from '../../../ui/Treemap.tsx'

export type ArtifactCardProps = { readonly result: NonNullable<BuildView['result']> }

type Kind = ArtifactCardProps['result']['pieces'][number]['kind']

const STYLES: Readonly<Record<Kind, string>> = {
  package: 'bg-kind-package',
  project: 'bg-kind-project',
  generated: 'bg-kind-generated',
}

const KINDS: readonly (readonly [Kind, string])[] = [
  ['package', 'Packages'],
  ['project', 'Project'],
  ['generated', 'Generated: handlers and files of every artifact'],
]

export function ArtifactCard({ result }: ArtifactCardProps) {
  const [chosen, setChosen] = useState<string>()
  const { pieces } = result
  const shown = useMemo(
    () => pieces.map((piece) => ({ id: pieceId(piece), name: pieceName(piece), kind: piece.kind, size: piece.bytes })),
    [pieces],
  )
  return (
    <Card title="Artifact" aside={<Legend />}>
      <Facts result={result} />
      <div className="grid gap-4 p-3 lg:grid-cols-2 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Treemap label="Contents of the artifact" pieces={shown} styles={STYLES} chosen={chosen} onChoose={setChosen} />
        <PieceTable pieces={pieces} unpackedBytes={result.unpackedBytes} chosen={chosen} onChoose={setChosen} />
      </div>
    </Card>
  )
}

const SHORT = 12

function Facts({ result }: ArtifactCardProps) {
  const { bytes: size, unpackedBytes, files, fingerprint, pythonVersion } = result
  const most = limit('artifactBytes')
  const share = Math.min(1, size / most)
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="font-medium">{bytes(size)}</span>
        <span className="text-ink-2">of {bytes(most)}</span>
        <meter
          aria-label="Share of the largest size of an artifact"
          min={0}
          max={most}
          value={size}
          className="sr-only"
        />
        <span aria-hidden className="h-1.5 w-32 overflow-hidden rounded-full bg-surface-2">
          <span
            className={share > NEARLY_FULL ? 'block h-full bg-timed-out' : 'block h-full bg-completed'}
            style={{ width: `${Math.max(1, share * 100)}%` }}
          />
        </span>
      </div>
      <span className="text-ink-2">
        {bytes(unpackedBytes)} unpacked, {counted(files, 'file')}
      </span>
      <span className="text-ink-2">
        Python {pythonVersion}, {packagesText(result)}
      </span>
      <span className="flex items-center gap-1 text-ink-2">
        Fingerprint <code className="font-mono text-small">{fingerprint.slice(0, SHORT)}</code>
        <CopyButton text={fingerprint} what="fingerprint" />
      </span>
    </div>
  )
}

function packagesText({ pieces, packagesCached }: ArtifactCardProps['result']): string {
  if (pieces.every(({ kind }) => kind !== 'package')) return 'no packages'
  return packagesCached ? 'packages reused' : 'packages newly installed'
}

// From this share of the limit, users should know before adding another package.
const NEARLY_FULL = 0.8

function Legend() {
  return (
    <ul aria-hidden className="flex gap-3 text-small text-ink-2">
      {KINDS.map(([kind, name]) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span className={`size-2.5 rounded-[2px] border border-line-strong/60 ${STYLES[kind]}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}

type PieceTableProps = {
  readonly pieces: readonly ArtifactPiece[]
  readonly unpackedBytes: number
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

function PieceTable({ pieces, unpackedBytes, chosen, onChoose }: PieceTableProps) {
  return (
    <Scrolling label="Pieces" className="max-h-96 overflow-y-auto rounded-control border border-line">
      <table className="w-full table-fixed text-left">
        <thead className="sticky top-0 bg-surface-1">
          <tr className="h-8 border-b border-line text-small text-ink-2">
            <th className="px-2 font-normal">Piece</th>
            <th className="w-24 px-2 font-normal">Kind</th>
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
              <td className="truncate px-2 text-ink-2">{piece.kind}</td>
              <td className="px-2 text-right">{bytes(piece.bytes)}</td>
              <td className="px-2 text-right text-ink-2">{percent(piece.bytes / unpackedBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}

function scrollIntoSight(row: HTMLTableRowElement | null): void {
  row?.scrollIntoView({ block: 'nearest' })
}

const percent = (share: number) => (share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`)

type ArtifactPiece = NonNullable<BuildView['result']>['pieces'][number]

const TOP = '.'

function pieceId({ kind, path }: ArtifactPiece): string {
  return `${kind} ${path}`
}

function pieceName({ kind, path }: ArtifactPiece): string {
  if (path !== TOP) return path
  return kind === 'project' ? 'small files of the project' : 'small files'
}
