import { useMemo, useState } from 'react'
import { limit } from '../../../../../src-main/contract/limits.ts'
import type { BuildView } from '../../../../../src-main/contract/projects.ts'
import { Card } from '../../../../ui/Card.tsx'
import { CopyButton } from '../../../../ui/CopyButton.tsx'
import { bytes, counted } from '../../../../ui/format.ts'
import { Treemap } from '../../../../ui/treemap/Treemap.tsx'
import { PieceTable } from './PieceTable.tsx'
import { pieceId, pieceName } from './piece-name.ts'

/** What a build made. */
export type ArtifactCardProps = { readonly result: NonNullable<BuildView['result']> }

type Kind = ArtifactCardProps['result']['pieces'][number]['kind']

const LOOKS: Readonly<Record<Kind, string>> = {
  package: 'bg-kind-package',
  project: 'bg-kind-project',
  generated: 'bg-kind-generated',
}

const KINDS: readonly (readonly [Kind, string])[] = [
  ['package', 'Packages'],
  ['project', 'Project'],
  ['generated', 'Generated: handlers and what every artifact has'],
]

/** The artifact: its size against the limit, and what it is made of. */
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
      <div className="grid gap-4 p-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Treemap
          label="What the artifact is made of"
          pieces={shown}
          looks={LOOKS}
          chosen={chosen}
          onChoose={setChosen}
        />
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
  return packagesCached ? 'packages kept from before' : 'packages newly installed'
}

// From here on a person should know before the next package.
const NEARLY_FULL = 0.8

function Legend() {
  return (
    <ul aria-hidden className="flex gap-3 text-small text-ink-2">
      {KINDS.map(([kind, name]) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span className={`size-2.5 rounded-[2px] border border-line-strong/60 ${LOOKS[kind]}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}
