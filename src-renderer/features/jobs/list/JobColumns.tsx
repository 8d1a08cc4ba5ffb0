import { createContext, type MouseEvent, type ReactNode, use } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { ago } from '../../../../src-main/domain/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { exactTime } from '../../../ui/format.ts'
import { JobErrorCell } from '../../../ui/output/JobErrorNotice.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Duration, Nothing, useNow } from '../../../ui/Values.tsx'

// Letters of an id that tell it from those of the same minute.
const ID_END = 8

/** The columns of the list of jobs. */
export const JOB_COLUMNS: readonly Column<JobListItem>[] = [
  { id: 'state', header: 'State', width: 156, cell: (job) => <StateCell job={job} /> },
  {
    id: 'job',
    header: 'Job',
    width: 120,
    grow: 2,
    cell: ({ id }) => (
      <RowLink to={ADDRESS.job(id)} title={id}>
        <ShortId id={id} />
      </RowLink>
    ),
  },
  {
    id: 'endpoint',
    header: 'Endpoint',
    width: 90,
    grow: 1,
    cell: ({ endpointId }) => (
      <RowLink to={ADDRESS.endpoint(endpointId)} title={endpointId}>
        {endpointId}
      </RowLink>
    ),
  },
  { id: 'created', header: 'Created', width: 116, cell: ({ createdAt }) => <TimeCell at={createdAt} /> },
  {
    id: 'waited',
    header: 'Waited',
    width: 72,
    align: 'right',
    cell: ({ delayTime }) => <Duration ms={delayTime} />,
  },
  {
    id: 'ran',
    header: 'Ran',
    width: 72,
    align: 'right',
    cell: ({ executionTime }) => <Duration ms={executionTime} />,
  },
  { id: 'tries', header: 'Tries', width: 52, align: 'right', cell: triesOf },
  {
    id: 'worker',
    header: 'Worker',
    width: 124,
    cell: ({ workerId }) =>
      workerId === undefined ? (
        <Nothing />
      ) : (
        <RowLink to={ADDRESS.worker(workerId)} title={workerId}>
          {workerId}
        </RowLink>
      ),
  },
  {
    id: 'error',
    header: 'Error',
    width: 100,
    grow: 3,
    cell: ({ error }) => <JobErrorCell error={error} />,
  },
]

/** The columns of a list of one endpoint, which need not name it. */
export const JOB_COLUMNS_OF_ENDPOINT = JOB_COLUMNS.filter(({ id }) => id !== 'endpoint')

function StateCell({ job }: { readonly job: JobListItem }) {
  return (
    <span className="inline-flex items-center gap-2">
      <JobStateDot state={job.status} error={job.error} />
      <ExpiredMark expiresAt={job.expiresAt} now={useCellNow()} />
    </span>
  )
}

// A job that nobody has taken yet was not tried.
function triesOf({ retries = 0, delayTime }: JobListItem): ReactNode {
  return delayTime === undefined && retries === 0 ? <Nothing /> : retries + (delayTime === undefined ? 0 : 1)
}

// Ids of the same minute begin alike: where there is no room for all of it, the middle is left out.
function ShortId({ id }: { readonly id: string }) {
  return (
    <span className="flex min-w-0">
      <span className="truncate">{id.slice(0, -ID_END)}</span>
      <span>{id.slice(-ID_END)}</span>
    </span>
  )
}

// Not wouter's Link: some hundred of them, mounted while the list scrolls, would each listen to the address.
function RowLink({
  to,
  title,
  children,
}: {
  readonly to: string
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <a href={to} title={title} onClick={(event) => follow(event, to)} className="font-mono text-small hover:underline">
      {children}
    </a>
  )
}

function follow(event: MouseEvent, to: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
  event.preventDefault()
  navigate(to)
}

const Now = createContext(0)

/** Tells the time to all cells below: one timer, and not one for each row. */
export function NowForCells({ children }: { readonly children: ReactNode }) {
  return <Now value={useNow()}>{children}</Now>
}

/** The time that the cells below show, ms since the epoch. */
const useCellNow = () => use(Now)

/** How long ago something was; the exact time on hover. @param at ms since the epoch */
function TimeCell({ at }: { readonly at: number }) {
  const now = useCellNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="text-ink-2">
      {ago(at, now)}
    </time>
  )
}

/** When the job API forgets a job, and what time it is. */
type ExpiredMarkProps = Pick<JobListItem, 'expiresAt'> & {
  /** ms since the epoch. */
  readonly now: number
}

/** A mark on a job that the job API has forgotten; why, on hover. Nothing on any other. */
export function ExpiredMark({ expiresAt, now }: ExpiredMarkProps) {
  if (expiresAt === undefined || expiresAt > now) return null
  const why = `Expired for the API: since ${exactTime(expiresAt)} the job API answers 404 for it, as in production. It stays here, and can be run again as a new job.`
  return (
    <span title={why} className="rounded-control border border-line bg-surface-2 px-1.5 text-small text-ink-2">
      Expired<span className="sr-only"> for the API</span>
    </span>
  )
}
