import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Table } from '../../../ui/table/Table.tsx'
import { JOB_COLUMNS_OF_ENDPOINT } from '../list/JobColumns.tsx'
import { NowForCells } from '../list/TimeCell.tsx'

/** The job that another one is compared with, once it is read. */
export type PickOtherProps = { readonly job: JobDetail | undefined; readonly onPick: (jobId: string) => void }

const LATEST = 50
// Its link would lead away from the choice.
const COLUMNS = JOB_COLUMNS_OF_ENDPOINT.map((column) =>
  column.id === 'job'
    ? { ...column, cell: ({ id }: { readonly id: string }) => <span className="font-mono text-small">{id}</span> }
    : column,
)

/** Asks for the other job: by its id, or one of the latest of the same endpoint. */
export function PickOther({ job, onPick }: PickOtherProps) {
  const [id, setId] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') onPick(id.trim())
  }
  return (
    <>
      <form onSubmit={submit} className="flex max-w-xl items-end gap-2 [&>div]:flex-1">
        <Field label="Compare with the job" value={id} onChange={({ target }) => setId(target.value)} />
        <Button type="submit" kind="main" disabled={id.trim() === ''}>
          Compare
        </Button>
      </form>
      {job !== undefined && <Others job={job} onPick={onPick} />}
    </>
  )
}

function Others({ job, onPick }: { readonly job: JobDetail; readonly onPick: (jobId: string) => void }) {
  const { client } = useApp()
  const { data } = useQuery(latestJobsQuery(client, job.endpointId, LATEST))
  const others = data?.requests.filter(({ id }) => id !== job.id) ?? []
  return (
    <Card title={`Or with one of the latest jobs of ${job.endpointId}`}>
      {others.length === 0 ? (
        <p className="p-3 text-ink-2">There is no other job of this endpoint.</p>
      ) : (
        <NowForCells>
          <Table
            label="Other jobs"
            columns={COLUMNS}
            rows={others}
            rowId={({ id }) => id}
            onOpen={({ id }) => onPick(id)}
            className="max-h-96"
          />
        </NowForCells>
      )}
    </Card>
  )
}
