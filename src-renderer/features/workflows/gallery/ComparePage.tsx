import { ArrowLeftRight } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useSearchParts } from '../../../ui/use-search-parts.ts'
import { useRun } from '../../workflow-editor/run/use-run.ts'
import { ComparedPictures } from './ComparedPictures.tsx'
import { DifferentSettings } from './DifferentSettings.tsx'

const CRUMBS = [
  { name: 'Workflows', to: ADDRESS.workflows },
  { name: 'Gallery', to: ADDRESS.gallery() },
  { name: 'Compare' },
]
const WAYS = ['Slider', 'Side by side'] as const
type Way = (typeof WAYS)[number]

/** Two runs beside each other: their results, and where their settings differ. */
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
          Two runs are compared.{' '}
          <Link to={ADDRESS.gallery()} className="text-accent hover:underline">
            Choose one in the gallery
          </Link>
          , then the other with “Compare”.
        </p>
      )}
      {!isMissing && error === null && (a.data === undefined || b.data === undefined) && <SkeletonRows rows={8} />}
      {a.data !== undefined && b.data !== undefined && <Compared a={a.data} b={b.data} way={way} />}
    </Page>
  )
}

type ComparedProps = { readonly a: RunDetail; readonly b: RunDetail; readonly way: Way }

function Compared({ a, b, way }: ComparedProps) {
  const pairs = useMemo(() => pairsOf(a, b), [a, b])
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        <RunName letter="A" run={a} />
        <RunName letter="B" run={b} />
      </div>
      {pairs.map(([one, other], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pairs stand in the order of the results
        <ComparedPictures key={at} a={one} b={other} isSlider={way === 'Slider'} />
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

// Results of the same place belong together; one may have given more than the other.
const pairsOf = (a: RunDetail, b: RunDetail) =>
  Array.from(
    { length: Math.max(a.results.length, b.results.length) },
    (_, at) => [a.results[at], b.results[at]] as const,
  )
