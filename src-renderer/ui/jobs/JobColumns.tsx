import { createContext, type ReactNode, use } from 'react'
import type { JobListItem } from '../../../src-main/contract/job.ts'
import { ago } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { exactTime } from '../format.ts'
import { JobStateDot } from '../StateDot.tsx'
import type { Column } from '../table/column.ts'
import { Nothing, SHORT_SPAN_PX, ShortDuration, useNow } from '../Values.tsx'
import { InputCell, JobLink, ResultCell, RowLink } from './JobCells.tsx'

/** Columns that distinguish jobs come first, so no width cuts them. */
export const JOB_COLUMNS: readonly Column<JobListItem>[] = [
  { id: 'state', header: 'State', width: 168, cell: (job) => <StateCell job={job} /> },
  { id: 'job', header: 'Job', width: 88, cell: ({ id }) => <JobLink id={id} /> },
  {
    id: 'endpoint',
    header: 'Endpoint',
    width: 74,
    grow: 1,
    cell: ({ endpointId }) => (
      <RowLink to={ADDRESS.endpoint(endpointId)} title={endpointId}>
        {endpointId}
      </RowLink>
    ),
  },
  { id: 'input', header: 'Input', width: 132, grow: 3, cell: InputCell },
  { id: 'result', header: 'Output or error', width: 126, grow: 3, cell: ResultCell },
  { id: 'created', header: 'Created', width: 88, cell: ({ createdAt }) => <TimeCell at={createdAt} /> },
  {
    id: 'waited',
    header: 'Waited',
    width: SHORT_SPAN_PX,
    align: 'right',
    cell: ({ delayTime }) => <ShortDuration ms={delayTime} />,
  },
  {
    id: 'ran',
    header: 'Ran',
    width: SHORT_SPAN_PX,
    align: 'right',
    cell: ({ executionTime }) => <ShortDuration ms={executionTime} />,
  },
  { id: 'tries', header: 'Tries', width: 48, align: 'right', cell: ({ attempt }) => attempt ?? <Nothing /> },
  {
    id: 'worker',
    header: 'Worker',
    width: 72,
    grow: 2,
    cell: ({ workerId }) =>
      workerId === undefined ? (
        <Nothing />
      ) : (
        <RowLink to={ADDRESS.worker(workerId)} title={workerId}>
          {workerId}
        </RowLink>
      ),
  },
]

export const JOB_COLUMNS_OF_ENDPOINT = JOB_COLUMNS.filter(({ id }) => id !== 'endpoint')

const LEFT_OUT_IN_NARROW = new Set(['worker'])
const LEFT_OUT_NEXT_TO_PREVIEW = new Set(['waited', 'tries', 'worker'])

const without = (columns: readonly Column<JobListItem>[], names: ReadonlySet<string>) =>
  columns.filter(({ id }) => !names.has(id))

const listed = (columns: readonly Column<JobListItem>[]) => ({
  all: columns,
  narrow: without(columns, LEFT_OUT_IN_NARROW),
  nextToPreview: without(columns, LEFT_OUT_NEXT_TO_PREVIEW),
})

// The same objects at each drawing, as tables draw their rows anew for others.
const OF_ALL = listed(JOB_COLUMNS)
const OF_ENDPOINT = listed(JOB_COLUMNS_OF_ENDPOINT)

export const jobListColumns = (ofEndpoint: boolean, room: keyof typeof OF_ALL): readonly Column<JobListItem>[] =>
  (ofEndpoint ? OF_ENDPOINT : OF_ALL)[room]

function StateCell({ job }: { readonly job: JobListItem }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <JobStateDot state={job.status} error={job.error} />
      <ExpiredMark expiresAt={job.expiresAt} now={useCellNow()} />
    </span>
  )
}

const Now = createContext(0)

/** Gives all cells the time from one timer instead of one per row. */
export function NowForCells({ children }: { readonly children: ReactNode }) {
  return <Now value={useNow()}>{children}</Now>
}

const useCellNow = () => use(Now)

/** Shows how long ago; the exact time on hover. */
function TimeCell({ at }: { readonly at: number }) {
  const now = useCellNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="text-ink-2">
      {ago(at, now)}
    </time>
  )
}

export function ExpiredMark({ expiresAt, now }: Pick<JobListItem, 'expiresAt'> & { readonly now: number }) {
  if (expiresAt === undefined || expiresAt > now) return null
  const why = `Expired for the API: since ${exactTime(expiresAt)} the job API answers 404 for it, as in production. It stays here, and can be run again as a new job.`
  return (
    <span title={why} className="shrink-0 rounded-control border border-line bg-surface-2 px-1.5 text-small text-ink-2">
      Expired<span className="sr-only"> for the API</span>
    </span>
  )
}
