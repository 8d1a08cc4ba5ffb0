import { ArrowLeftRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { mediaKind, RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { allSettings, diffSettings } from '../../workflow-editor/run/read-settings.ts'
import { payloadOf, useRun } from '../../workflow-editor/run/run-queries.ts'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'

const CRUMBS = [
  { name: 'Workflows', to: ADDRESS.workflows },
  { name: 'Gallery', to: ADDRESS.gallery() },
  { name: 'Compare' },
]
const WAYS = ['Slider', 'Side by side'] as const
type Way = (typeof WAYS)[number]

export function ComparePage() {
  const [search, set] = useSearchParts()
  const [, go] = useLocation()
  const [idOfA, idOfB] = [search.get('a') ?? '', search.get('b') ?? '']
  const a = useRun(idOfA)
  const b = useRun(idOfB)
  const error = a.error ?? b.error
  const way: Way = search.get('view') === 'side' ? 'Side by side' : 'Slider'
  const setWay = (next: Way) => set({ view: next === 'Side by side' ? 'side' : undefined })
  const isMissing = idOfA === '' || idOfB === ''
  return (
    <Page
      crumbs={CRUMBS}
      actions={
        !isMissing && (
          <>
            <SegmentedChoice label="View" choices={WAYS} value={way} onChange={setWay} />
            <Button
              onClick={() =>
                go(`${ADDRESS.comparedRuns(idOfB, idOfA)}${way === 'Slider' ? '' : '&view=side'}`, { replace: true })
              }
            >
              <ArrowLeftRight aria-hidden /> Swap
            </Button>
          </>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {isMissing && (
        <p className="text-ink-2">
          <Link to={ADDRESS.gallery()} className="text-accent hover:underline">
            Open a run in the gallery
          </Link>
          , press Compare, and choose the second run.
        </p>
      )}
      {!isMissing && error === null && (a.data === undefined || b.data === undefined) && <SkeletonRows rows={8} />}
      {a.data !== undefined && b.data !== undefined && <Compared a={a.data} b={b.data} way={way} />}
    </Page>
  )
}

function Compared({ a, b, way }: { readonly a: RunDetail; readonly b: RunDetail; readonly way: Way }) {
  // Results are paired by position; one run may have more than the other.
  const pairs = Array.from({ length: Math.max(a.results.length, b.results.length) }, (_, at) => at)
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        <RunName letter="A" run={a} />
        <RunName letter="B" run={b} />
      </div>
      {pairs.map((at) => (
        <ComparedPictures key={at} a={a.results[at]} b={b.results[at]} isSlider={way === 'Slider'} />
      ))}
      <Card title="Settings that differ">
        <DifferentSettings a={a} b={b} />
      </Card>
    </>
  )
}

function RunName({ letter, run }: { readonly letter: string; readonly run: RunDetail }) {
  return (
    <h2 className="flex min-w-0 items-baseline gap-2">
      <span className="font-semibold">{letter}</span>
      <Link to={ADDRESS.run(run.id)} className="truncate text-accent hover:underline">
        {run.label ?? run.title}
      </Link>
      <span className="truncate font-mono text-small text-ink-2">{run.id}</span>
    </h2>
  )
}

type Results = { readonly a: RunResult | undefined; readonly b: RunResult | undefined }

function ComparedPictures({ a, b, isSlider }: Results & { readonly isSlider: boolean }) {
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
          step={1}
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

function DifferentSettings({ a, b }: { readonly a: RunDetail; readonly b: RunDetail }) {
  const found = useMemo(() => diffSettings(allSettings(payloadOf(a)), allSettings(payloadOf(b))), [a, b])
  if (found.length === 0) return <p className="p-3 text-ink-2">Both runs have the same settings.</p>
  return (
    <div className="overflow-x-auto">
      <table aria-label="Settings that differ" className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-ink-2 [&>th]:px-3 [&>th]:py-1.5 [&>th]:font-normal">
            <th scope="col" className="w-1/4">
              {counted(found.length, 'difference')}
            </th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ key, title, name, a: one, b: other }) => (
            <tr key={key} className="border-b border-line/60 align-top [&>*]:px-3 [&>*]:py-1.5">
              <th scope="row" className="text-left font-normal break-words">
                {name} <span className="text-small text-ink-2">{title}</span>
              </th>
              <Value text={one} />
              <Value text={other} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <td className="text-ink-2">missing</td>
  return (
    <td className="bg-warn-soft break-words whitespace-pre-wrap text-warn-ink tabular-nums">
      {text === '' ? 'empty' : text}
    </td>
  )
}
