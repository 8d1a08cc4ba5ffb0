import { useState } from 'react'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import { mediaKind, RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'

export type ComparedPicturesProps = {
  readonly a: RunResult | undefined
  readonly b: RunResult | undefined
  readonly isSlider: boolean
}

export function ComparedPictures({ a, b, isSlider }: ComparedPicturesProps) {
  const arePictures = a !== undefined && b !== undefined && mediaKind(a) === 'image' && mediaKind(b) === 'image'
  if (isSlider && arePictures) return <Slider a={a} b={b} />
  return (
    <div className="grid grid-cols-2 gap-4">
      <Side result={a} letter="A" />
      <Side result={b} letter="B" />
    </div>
  )
}

function Side({ result, letter }: { readonly result: RunResult | undefined; readonly letter: string }) {
  if (result === undefined) return <p className="text-ink-2">{letter} has no more results.</p>
  return <RunMedia result={result} name={`${result.filename} of ${letter}`} className="h-auto max-h-[70vh] w-full" />
}

const STEP = 1

function Slider({ a, b }: { readonly a: RunResult; readonly b: RunResult }) {
  const [share, setShare] = useState(50)
  const { width = 1, height = 1 } = a
  return (
    <div className="flex flex-col items-center">
      <div
        className="relative max-w-full overflow-hidden rounded-control border border-line bg-surface-1 select-none"
        style={{ aspectRatio: `${width} / ${height}`, width: `min(100%, calc(60vh * ${width / height}))` }}
      >
        <img
          src={assetAddress(b.asset)}
          alt={`${b.filename} of B`}
          className="absolute inset-0 size-full object-contain"
        />
        <img
          src={assetAddress(a.asset)}
          alt={`${a.filename} of A`}
          className="absolute inset-0 size-full object-contain"
          style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}
        />
        <input
          type="range"
          min={0}
          max={100}
          step={STEP}
          value={share}
          onChange={({ target }) => setShare(Number(target.value))}
          aria-label="Share of A shown"
          aria-valuetext={`${share} % of A`}
          className="peer absolute inset-0 z-10 size-full cursor-ew-resize opacity-0"
        />
        <span
          aria-hidden
          className="absolute inset-y-0 w-0.5 -translate-x-1/2 bg-accent peer-focus-visible:[&>span]:outline-2 peer-focus-visible:[&>span]:outline-offset-2 peer-focus-visible:[&>span]:outline-accent"
          style={{ left: `${share}%` }}
        >
          <span className="absolute top-1/2 left-1/2 size-6 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 border-accent bg-surface-1" />
        </span>
        <Corner letter="A" className="left-2" />
        <Corner letter="B" className="right-2" />
      </div>
    </div>
  )
}

function Corner({ letter, className }: { readonly letter: string; readonly className: string }) {
  return (
    <span
      aria-hidden
      className={`absolute top-2 rounded-control bg-ink/80 px-1.5 text-small text-surface-1 ${className}`}
    >
      {letter}
    </span>
  )
}
