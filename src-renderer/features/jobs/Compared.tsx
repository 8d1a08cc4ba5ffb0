import clsx from 'clsx'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { errorLine } from '../../../src-main/features/jobs/rules/read-error.ts'
import { ADDRESS } from '../../addresses.ts'
import type { JobDetail } from '../../api-client/jobs.ts'
import { Card } from '../../ui/Card.tsx'
import { duration, exactTime } from '../../ui/format.ts'
import { findParts, OutputPartView } from '../../ui/output/OutputPartView.tsx'
import { JobStateDot } from '../../ui/StateDot.tsx'
import { DifferenceTable } from './DifferenceTable.tsx'
import { Timeline } from './page/Timeline.tsx'

export type ComparedProps = { readonly a: JobDetail; readonly b: JobDetail }

export function Compared({ a, b }: ComparedProps) {
  return (
    <>
      <Facts a={a} b={b} />
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Card title="Timeline of A">
          <Timeline job={a} />
        </Card>
        <Card title="Timeline of B">
          <Timeline job={b} />
        </Card>
      </div>
      <Card title="Input">
        <DifferenceTable label="the inputs" a={a.input} b={b.input} />
      </Card>
      <Card title="Output">
        <DifferenceTable label="the outputs" a={a.output} b={b.output} />
      </Card>
      <Pictures a={a} b={b} />
    </>
  )
}

function Facts({ a, b }: ComparedProps) {
  return (
    <Card>
      <table aria-label="Facts" className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium">
            <td className="w-1/4" />
            <Head name="A" job={a} />
            <Head name="B" job={b} />
          </tr>
        </thead>
        <tbody>
          {factsOf(a, b).map((fact) => (
            <tr key={fact.name} className="border-b border-line/60 align-top [&>*]:px-3 [&>*]:py-1.5">
              <th scope="row" className="text-left font-normal text-ink-2">
                {fact.name}
              </th>
              <FactCell value={fact.a} differs={fact.differs} job={fact.name === 'State' ? a : undefined} />
              <FactCell value={fact.b} differs={fact.differs} job={fact.name === 'State' ? b : undefined} />
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Head({ name, job }: { readonly name: string; readonly job: JobDetail }) {
  return (
    <th scope="col" className="truncate">
      {name}{' '}
      <Link to={ADDRESS.job(job.id)} className="font-mono text-small font-normal hover:underline">
        {job.id}
      </Link>
    </th>
  )
}

type FactCellProps = {
  readonly value: string
  readonly differs: boolean
  readonly job: JobDetail | undefined
}

function FactCell({ value, differs, job }: FactCellProps) {
  return (
    <td className={clsx('break-words', differs && 'bg-warn-soft text-warn-ink')}>
      {job === undefined ? value : <JobStateDot state={job.status} />}
    </td>
  )
}

function Pictures({ a, b }: ComparedProps) {
  const [ofA, ofB] = useMemo(() => [mediaOf(a.output), mediaOf(b.output)], [a.output, b.output])
  const count = Math.max(ofA.length, ofB.length)
  if (count === 0) return null
  return (
    <Card title="Pictures and sounds">
      <div className="grid grid-cols-2 gap-4 p-3">
        {Array.from({ length: count }, (_pair, at) => [ofA[at], ofB[at]] as const).flatMap(([one, other], at) => [
          // biome-ignore lint/suspicious/noArrayIndexKey: the pairs stand in the order of the outputs
          <div key={`a${at}`}>{one === undefined ? <Missing /> : <OutputPartView part={one} />}</div>,
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <div key={`b${at}`}>{other === undefined ? <Missing /> : <OutputPartView part={other} />}</div>,
        ])}
      </div>
    </Card>
  )
}

const Missing = () => <p className="text-ink-2">Missing.</p>

const mediaOf = (output: unknown) => findParts(output).filter((part) => 'source' in part)

/** Creation times always differ, so they do not count as a difference. */
type ComparedFact = {
  readonly name: string
  readonly a: string
  readonly b: string
  readonly differs: boolean
}

const span = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms))

const FACTS: readonly (readonly [name: string, read: (job: JobDetail) => string])[] = [
  ['State', ({ status }) => status],
  ['Endpoint', ({ endpointId }) => endpointId],
  ['Created', ({ createdAt }) => exactTime(createdAt)],
  ['Waited', ({ delayTime }) => span(delayTime)],
  ['Ran', ({ executionTime }) => span(executionTime)],
  ['Tries', ({ attempt }) => String(attempt)],
  ['Worker', ({ workerId }) => workerId ?? '–'],
  ['Error', ({ error }) => (error === undefined ? '–' : errorLine(error))],
]

function factsOf(a: JobDetail, b: JobDetail): readonly ComparedFact[] {
  return FACTS.map(([name, read]) => {
    const values = { a: read(a), b: read(b) }
    return { name, ...values, differs: name !== 'Created' && values.a !== values.b }
  })
}
