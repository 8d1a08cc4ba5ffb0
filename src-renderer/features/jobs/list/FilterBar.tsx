import * as ToggleGroup from '@radix-ui/react-toggle-group'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { type ReactNode, useEffect, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { JOB_STATES, type JobState } from '../../../../src-main/contract/job.ts'
import type { JobStateCounts } from '../../../../src-main/contract/job-routes.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { SearchField } from '../../../ui/form/Field.tsx'
import { PickOne } from '../../../ui/form/Select.tsx'
import { exactTime } from '../../../ui/format.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { type JobListFilter, queryOf, SINCE, type Since } from './job-list-filter.ts'

export type FilterBarProps = {
  readonly filter: JobListFilter
  readonly onChange: (filter: JobListFilter) => void
  readonly ofEndpoint: boolean
  readonly children?: ReactNode
}

const TYPING_MS = 200
const SINCE_TEXTS: Readonly<Record<Since, string>> = {
  '15m': 'Last 15 min',
  '1h': 'Last hour',
  '24h': 'Last 24 h',
  '7d': 'Last 7 d',
}
const SPANS = Object.keys(SINCE) as readonly Since[]

export function FilterBar({ filter, onChange, ofEndpoint, children }: FilterBarProps) {
  const { endpoint, worker, batch, since } = filter
  const endpoints = useAppState(useShallow((state) => Object.keys(state.live.endpoints)))
  const workers = useAppState(
    useShallow((state) =>
      Object.values(state.live.workers)
        .filter((one) => endpoint === undefined || one.endpointId === endpoint)
        .map(({ id }) => id),
    ),
  )
  const set = (change: { readonly [Name in keyof JobListFilter]?: JobListFilter[Name] | undefined }) =>
    onChange(without({ ...filter, ...change }))
  const span = spanOf(filter)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <JobSearch text={filter.text ?? ''} onText={(text) => set({ text: text === '' ? undefined : text })} />
      <StateChoice filter={filter} onChange={(states) => set({ states })} />
      {!ofEndpoint && (
        <PickOne
          label="Endpoint"
          any="All endpoints"
          value={endpoint}
          choices={endpoints.map((id) => [id, id] as const)}
          onChange={(next) => set({ endpoint: next, worker: undefined })}
        />
      )}
      <PickOne
        label="Worker"
        any="All workers"
        value={worker}
        choices={workers.map((id) => [id, id] as const)}
        onChange={(next) => set({ worker: next })}
      />
      {batch !== undefined && (
        <PickOne label="Batch" any="All batches" value={batch} choices={[]} onChange={(next) => set({ batch: next })} />
      )}
      <PickOne
        label="Created"
        any="Any time"
        value={since ?? span}
        choices={[
          ...SPANS.map((name) => [name, SINCE_TEXTS[name]] as const),
          ...(span === undefined ? [] : [[span, span] as const]),
        ]}
        onChange={(next) => {
          if (next === span && next !== undefined) return
          set({ since: SPANS.find((name) => name === next), from: undefined, to: undefined })
        }}
      />
      {children}
    </div>
  )
}

function JobSearch({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const { platform } = useApp()
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  // The address changed elsewhere, for example by going back.
  if (known !== text) {
    setKnown(text)
    setTyped(text)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once after the last letter
  useEffect(() => {
    return typed === text ? undefined : platform.after(TYPING_MS, () => onText(typed))
  }, [typed, platform])
  return (
    <div className="max-w-56 min-w-36 grow basis-36">
      <SearchField label="Search jobs" value={typed} onChange={setTyped} />
    </div>
  )
}

function spanOf({ from, to }: JobListFilter): string | undefined {
  if (from === undefined && to === undefined) return undefined
  const time = (at: number) => exactTime(at).slice(0, 16)
  if (to === undefined) return `Since ${time(from ?? 0)}`
  return from === undefined ? `Until ${time(to)}` : `${time(from)} to ${time(to)}`
}

function without(filter: { readonly [Name in keyof JobListFilter]?: JobListFilter[Name] | undefined }): JobListFilter {
  const set = Object.entries(filter).filter(([, value]) => value !== undefined)
  return { states: [], ...Object.fromEntries(set) }
}

type StateChoiceProps = {
  readonly filter: JobListFilter
  readonly onChange: (states: readonly JobState[]) => void
}

function StateChoice({ filter, onChange }: StateChoiceProps) {
  const counts = useStateCounts(filter)
  return (
    <ToggleGroup.Root
      type="multiple"
      aria-label="States"
      value={[...filter.states]}
      onValueChange={(chosen) => onChange(JOB_STATES.filter((state) => chosen.includes(state)))}
      className="flex flex-wrap gap-1"
    >
      {JOB_STATES.map((state) => (
        <ToggleGroup.Item
          key={state}
          value={state}
          className={clsx(
            'h-7 rounded-control border border-line bg-surface-1 px-2 text-small hover:bg-surface-2',
            'data-[state=on]:border-accent data-[state=on]:bg-accent-soft',
          )}
        >
          <JobStateDot state={state} still />
          {counts !== undefined && <span className="ml-1.5 text-ink-2 tabular-nums">{countText(counts[state])}</span>}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

const countText = ({ count, more }: JobStateCounts['states'][JobState]) =>
  `${count.toLocaleString('en')}${more ? '+' : ''}`

function useStateCounts(filter: JobListFilter): JobStateCounts['states'] | undefined {
  const { client, platform } = useApp()
  const { states: _chosen, ...rest } = filter
  const { data } = useQuery({
    queryKey: ['job-states', rest],
    queryFn: ({ signal }) => {
      const { status: _all, ...query } = queryOf(filter, platform.now())
      return client.call('jobStates', { query, signal })
    },
    placeholderData: keepPreviousData,
  })
  return data?.states
}
