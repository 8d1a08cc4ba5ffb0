import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { limit } from '../../../../src-main/contract/limits.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { read } from '../../../browser/read.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { FilterBar } from '../list/FilterBar.tsx'
import { isEmptyFilter, type JobListFilter, queryOf, readFilter, writeFilter } from '../list/job-list-filter.ts'
import type { ComparisonInputs } from './comparison-draft.ts'

const LAST = 50

const SOURCES = { last: `Last ${LAST} jobs`, jobs: 'Choose jobs', file: 'File' } as const

type Source = keyof typeof SOURCES

export function chosenSource(search: URLSearchParams): Source {
  const named = (Object.keys(SOURCES) as Source[]).find((one) => one === search.get('inputs'))
  const { endpoint: _any, ...filter } = readFilter(search)
  return named ?? (search.has('ids') || !isEmptyFilter(filter) ? 'jobs' : 'last')
}

export async function lastJobs(client: Pick<ApiClient, 'call'>, endpoint: string): Promise<ComparisonInputs> {
  const { requests } = await client.call('jobList', { query: { endpoint, limit: LAST, previews: 'false' } })
  if (requests.length === 0) throw new Error(`${endpoint} has no jobs yet. Choose other jobs, or a file of inputs.`)
  return { ids: requests.map(({ id }) => id) }
}

export function useChosenInputs() {
  const { client, platform } = useApp()
  const [search, setSearch] = useSearchParams()
  const [, setParts] = useSearchParts()
  const text = search.toString()
  const filter = useMemo(() => readFilter(new URLSearchParams(text)), [text])
  const ids = search.get('ids')?.split(',') ?? []
  const source = chosenSource(search)
  return {
    ...{ source, ids, filter },
    setSource: (next: Source) => setParts({ inputs: next }),
    setFilter(next: JobListFilter) {
      setSearch(
        (before) => {
          const written = writeFilter(before, next)
          written.set('inputs', 'jobs')
          written.delete('ids')
          return written
        },
        { replace: true },
      )
    },
    async inputs(endpoint: string, file: File | undefined): Promise<ComparisonInputs> {
      if (source === 'last') return lastJobs(client, endpoint)
      if (source === 'file') return { file: (await file?.text()) ?? '' }
      if (ids.length > 0) return { ids: [...ids] }
      const { status: _joined, ...query } = queryOf(filter, platform.now())
      return { filter: { ...query, ...(filter.states.length === 0 ? {} : { status: [...filter.states] }) } }
    },
  }
}

type InputsProps = {
  readonly chosen: ReturnType<typeof useChosenInputs>
  readonly endpoint: string
  readonly file: File | undefined
  readonly onFile: (file: File | undefined) => void
  readonly problem: string | undefined
}

export function Inputs({ chosen, endpoint, file, onFile, problem }: InputsProps) {
  const { source, setSource, ids, setFilter } = chosen
  return (
    <section aria-label="Inputs" className="flex flex-col gap-3">
      <h3 className="font-medium">Inputs</h3>
      <div>
        <SegmentedChoice
          label="Source of inputs"
          choices={Object.values(SOURCES)}
          value={SOURCES[source]}
          onChange={(name) => {
            onFile(undefined)
            const next = (Object.keys(SOURCES) as Source[]).find((one) => SOURCES[one] === name) ?? 'last'
            if (next === 'jobs' && ids.length === 0 && isEmptyFilter(chosen.filter)) setFilter({ endpoint, states: [] })
            else setSource(next)
          }}
        />
      </div>
      {source === 'last' && <JobCount filter={{ endpoint, states: [] }} most={LAST} of={endpoint} />}
      {source === 'file' && (
        <Field
          label="File of inputs"
          type="file"
          accept=".jsonl,.ndjson,.json,application/x-ndjson"
          hint={file === undefined ? 'JSON lines with an input in each, or an export of jobs.' : undefined}
          problem={problem}
          onChange={({ target }) => onFile(target.files?.[0])}
        />
      )}
      {source === 'jobs' && ids.length > 0 && (
        <p>
          {counted(ids.length, 'selected job')}.{' '}
          <Button kind="quiet" onClick={() => setFilter({ states: [] })}>
            Choose by a filter
          </Button>
        </p>
      )}
      {source === 'jobs' && ids.length === 0 && (
        <>
          <FilterBar filter={chosen.filter} onChange={setFilter} ofEndpoint={false} />
          <JobCount filter={chosen.filter} most={limit('comparisonItems')} />
        </>
      )}
    </section>
  )
}

type JobCountProps = {
  readonly filter: JobListFilter
  readonly most: number
  readonly of?: string
}

function JobCount({ filter, most, of }: JobCountProps) {
  const { client, platform } = useApp()
  const query = useMemo(() => queryOf(filter, platform.now()), [filter, platform])
  const { data } = useQuery(read(client, ['job-count', query], 'jobCount', { query }))
  return (
    <p role="status" className="text-ink-2">
      {data !== undefined && (of === undefined ? chosenText(data.count, most, filter) : lastText(data.count, most, of))}
    </p>
  )
}

const chosenText = (count: number, most: number, filter: JobListFilter) =>
  `${isEmptyFilter(filter) ? 'All ' : ''}${counted(count, 'job')}, ${most.toLocaleString('en')} at most`

function lastText(count: number, most: number, endpoint: string): string {
  if (count === 0) return `${endpoint} has no jobs yet.`
  return count > most ? `The newest ${most} jobs of ${endpoint}.` : `All ${counted(count, 'job')} of ${endpoint}.`
}
