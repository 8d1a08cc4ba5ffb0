import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { limit } from '../../../../src-main/contract/limits.ts'
import { counted } from '../../../../src-main/domain/text.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { FilterBar } from '../list/FilterBar.tsx'
import { isEmptyFilter, type JobListFilter, queryOf, readFilter, writeFilter } from '../list/job-list-filter.ts'
import type { ComparisonInputs } from './comparison-draft.ts'

/** Stored jobs whose inputs are run, and what is asked of the service for them. */
export type ChosenInputs = {
  readonly ids: readonly string[]
  readonly filter: JobListFilter
  readonly setFilter: (filter: JobListFilter) => void
  readonly inputs: () => ComparisonInputs
}

/** The stored jobs whose inputs are run, as the address names them: by a filter of the list, or by their ids. */
export function useChosenInputs(): ChosenInputs {
  const { platform } = useApp()
  const [search, setSearch] = useSearchParams()
  const text = search.toString()
  return useMemo(() => {
    const filter = readFilter(new URLSearchParams(text))
    const ids = new URLSearchParams(text).get('ids')?.split(',') ?? []
    return {
      ids,
      filter,
      setFilter(next) {
        setSearch(
          (before) => {
            const written = writeFilter(before, next)
            written.delete('ids')
            return written
          },
          { replace: true },
        )
      },
      inputs() {
        if (ids.length > 0) return { ids: [...ids] }
        const { status: _joined, ...query } = queryOf(filter, platform.now())
        return { filter: { ...query, ...(filter.states.length === 0 ? {} : { status: [...filter.states] }) } }
      },
    }
  }, [text, setSearch, platform])
}

/** The inputs of a comparison: stored jobs, or a file once one is chosen. */
type InputsProps = {
  readonly chosen: ChosenInputs
  readonly file: File | undefined
  readonly onFile: (file: File | undefined) => void
  readonly problem: string | undefined
}

const SOURCES = ['Stored jobs', 'File'] as const

/** Chooses them. */
export function Inputs({ chosen, file, onFile, problem }: InputsProps) {
  const [source, setSource] = useState<(typeof SOURCES)[number]>('Stored jobs')
  const choose = (next: (typeof SOURCES)[number]) => {
    setSource(next)
    onFile(undefined)
  }
  return (
    <section aria-label="Inputs" className="flex flex-col gap-3">
      <h3 className="font-medium">Inputs</h3>
      <div>
        <SegmentedChoice label="Where inputs come from" choices={SOURCES} value={source} onChange={choose} />
      </div>
      {source === 'File' && (
        <Field
          label="File of inputs"
          type="file"
          accept=".jsonl,.ndjson,.json,application/x-ndjson"
          hint={file === undefined ? 'JSON lines with an input in each, or an export of jobs.' : undefined}
          problem={problem}
          onChange={({ target }) => onFile(target.files?.[0])}
        />
      )}
      {source === 'Stored jobs' && chosen.ids.length > 0 && (
        <p>
          Those of {counted(chosen.ids.length, 'selected job')}.{' '}
          <Button kind="quiet" onClick={() => chosen.setFilter({ states: [] })}>
            Choose by a filter
          </Button>
        </p>
      )}
      {source === 'Stored jobs' && chosen.ids.length === 0 && <FilteredJobs {...chosen} />}
    </section>
  )
}

function FilteredJobs({ filter, setFilter }: ChosenInputs) {
  const { client, platform } = useApp()
  const query = useMemo(() => queryOf(filter, platform.now()), [filter, platform])
  const { data } = useQuery({
    queryKey: ['job-count', query],
    queryFn: ({ signal }) => client.call('jobCount', { query, signal }),
  })
  const most = limit('comparisonItems').toLocaleString('en')
  return (
    <>
      <FilterBar filter={filter} onChange={setFilter} ofEndpoint={false} />
      <p role="status" className="text-ink-2">
        {data !== undefined && `${isEmptyFilter(filter) ? 'All ' : ''}${counted(data.count, 'job')}, ${most} at most`}
      </p>
    </>
  )
}
