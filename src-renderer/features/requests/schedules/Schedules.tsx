import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { ScheduleView } from '../../../../src-main/contract/schedules.ts'
import { exactSpan } from '../../../../src-main/lib/text.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { asSentence } from '../../../ui/format.ts'
import { InputCell, JobLink, ResultCell, useJobFaces } from '../../../ui/jobs/JobCells.tsx'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { JobStateDot, StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { Duration, Elapsed, Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { schedulesQuery } from '../request-queries.ts'
import { NextTimes, ScheduleForm } from './ScheduleForm.tsx'

type ScheduleRun = ScheduleView['runs'][number]

const OUTCOMES: Readonly<Record<ScheduleRun['outcome'], StateDotProps>> = {
  queued: { tone: 'completed', text: 'Queued' },
  refused: { tone: 'failed', text: 'Refused' },
  missed: { tone: 'cancelled', text: 'Missed' },
}
export function Schedules({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data, error } = useQuery(schedulesQuery(client, endpoint.id))
  const schedules = data?.schedules ?? []
  const shown = schedules.find(({ id }) => id === search.get('schedule')) ?? schedules[0]
  const show = (id: string) => setSearch({ view: 'schedules', schedule: id })
  return (
    <>
      <div>{choice}</div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(300px,2fr)_3fr]">
        <ScheduleForm endpoint={endpoint} onAdded={({ id }) => show(id)} />
        <QueryState data={data} error={error} rows={6} />
        {data !== undefined && shown === undefined && (
          <EmptyState isFramed command={`drydock schedule add ${endpoint.id} nightly --cron '0 3 * * *'`}>
            This endpoint has no schedules yet. A schedule queues a job at each of its times.
          </EmptyState>
        )}
        {shown !== undefined && <ShownSchedule schedule={shown} />}
      </div>
      {schedules.length > 0 && (
        <Card title="Schedules">
          <Table
            label="Schedules"
            columns={columnsOf(shown?.id)}
            rows={schedules}
            onOpen={({ id }) => show(id)}
            className="max-h-96"
          />
        </Card>
      )}
    </>
  )
}

function ShownSchedule({ schedule }: { readonly schedule: ScheduleView }) {
  const { name, upcoming, runs, request, paused } = schedule
  const faces = useJobFaces(useMemo(() => runs.flatMap(({ jobId }) => jobId ?? []), [runs]))
  return (
    <Card title={name} aside={<ScheduleMenu schedule={schedule} />} className="min-w-0">
      <div className="flex flex-col gap-3 p-3">
        <p>
          {timingText(schedule)}
          {paused && ' · paused'}
          {!paused && upcoming.length === 0 && ' · no further runs'}
        </p>
        <NextTimes upcoming={upcoming} />
        <pre className="max-h-24 overflow-auto rounded-control bg-surface-2 p-2 text-small break-all whitespace-pre-wrap">
          {request}
        </pre>
        <h3 className="font-medium">Run history</h3>
        {runs.length === 0 && <p className="text-ink-2">No runs yet.</p>}
        <ul aria-label="Run history" className="flex max-h-72 flex-col overflow-y-auto">
          {runs.map((run) => (
            <li
              key={`${run.dueAt} ${run.outcome}`}
              className="grid grid-cols-[minmax(7rem,auto)_6rem_4.5rem_minmax(0,1fr)] gap-x-3 border-b border-line py-1"
            >
              <RunState run={run} />
              <RelativeTime at={run.dueAt} />
              <span className="text-right">
                <RunDuration run={run} />
              </span>
              <span className="flex min-w-0 gap-3">
                {run.jobId !== undefined && <RunJob id={run.jobId} job={faces.get(run.jobId)} />}
              </span>
              {run.reason !== undefined && <span className="col-span-full text-ink-2">{asSentence(run.reason)}</span>}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}

function RunState({ run: { outcome, count, job } }: { readonly run: ScheduleRun }) {
  if (job !== undefined) return <JobStateDot state={job.status} error={job.error} />
  return <StateDot {...OUTCOMES[outcome]} {...(count > 1 && { detail: `${count.toLocaleString('en')} times` })} />
}

function RunJob({ id, job }: { readonly id: string; readonly job: JobListItem | undefined }) {
  return (
    <>
      <JobLink id={id} />
      <span className="min-w-0 truncate">
        <InputCell preview={job?.preview} />
      </span>
      <span className="min-w-0 flex-1 truncate">{job !== undefined && <ResultCell {...job} />}</span>
    </>
  )
}

function RunDuration({ run: { job } }: { readonly run: ScheduleRun }) {
  if (job?.executionTime !== undefined) return <Duration ms={job.executionTime} />
  if (job?.status !== 'IN_PROGRESS' || job.delayTime === undefined) return null
  return (
    <span className="whitespace-nowrap">
      <Elapsed since={job.createdAt + job.delayTime} />
    </span>
  )
}

function ScheduleMenu({ schedule }: { readonly schedule: ScheduleView }) {
  const { id: scheduleId, endpointId, name, paused } = schedule
  const { client } = useApp()
  const { done, failed } = useTell()
  const queries = useQueryClient()
  const path = { endpointId, scheduleId }
  const work = useMutation({
    mutationFn: (act: () => Promise<string>) => act(),
    onSuccess: done,
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['schedules', endpointId] }),
  })
  const runNow = async () => {
    const { jobId } = await client.call('scheduleRunNow', { path })
    return `Job ${jobId} is queued.`
  }
  const setPaused = async () => {
    await client.call('scheduleUpdate', { path, body: { paused: !paused } })
    return `${name} is ${paused ? 'resumed' : 'paused'}.`
  }
  const remove = async () => {
    await client.call('scheduleDelete', { path })
    return `${name} is deleted. Jobs that it has queued stay.`
  }
  return (
    <MoreMenu
      label={`More for ${name}`}
      disabled={work.isPending}
      groups={[
        [
          { label: 'Run now', icon: <Play />, onSelect: () => work.mutate(runNow) },
          {
            label: paused ? 'Resume' : 'Pause',
            icon: paused ? <Play /> : <Pause />,
            onSelect: () => work.mutate(setPaused),
          },
        ],
        [{ label: `Delete ${name}`, icon: <Trash2 />, danger: true, onSelect: () => work.mutate(remove) }],
      ]}
    />
  )
}

const columnsOf = (shownId: string | undefined): readonly Column<ScheduleView>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 1,
    cell: ({ id, name }) => <span className={id === shownId ? 'font-medium' : ''}>{name}</span>,
  },
  { id: 'when', header: 'When', width: 220, grow: 1, cell: timingText },
  { id: 'next', header: 'Next', width: 120, cell: (one) => <NextTime schedule={one} /> },
  { id: 'last', header: 'Last', width: 260, cell: ({ runs: [last] }) => <LastTime run={last} /> },
]

function NextTime({ schedule: { paused, nextAt } }: { readonly schedule: ScheduleView }) {
  if (nextAt === undefined) return paused ? 'Paused' : <Nothing />
  return <RelativeTime at={nextAt} />
}

function LastTime({ run }: { readonly run: ScheduleRun | undefined }) {
  if (run === undefined) return <Nothing />
  return (
    <span className="flex gap-2">
      <RunState run={run} />
      <RunDuration run={run} />
      <RelativeTime at={run.dueAt} />
    </span>
  )
}

function timingText({ cron, everyMs, timeZone }: ScheduleView): string {
  if (everyMs !== undefined) return `Every ${exactSpan(everyMs)}`
  return timeZone === undefined ? `${cron}` : `${cron}, ${timeZone}`
}
