import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { type JobDetail, jobQuery } from '../../api-client/jobs.ts'
import { latestJobsQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { JOB_COLUMNS_OF_ENDPOINT, NowForCells } from '../../ui/jobs/JobColumns.tsx'
import { Page } from '../../ui/Page.tsx'
import { ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { Compared } from './Compared.tsx'

const CRUMBS = [{ name: 'Jobs', to: ADDRESS.jobs }, { name: 'Compare' }]

export function ComparePage() {
  const { client } = useApp()
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const [idOfA, idOfB] = [search.get('a') ?? '', search.get('b') ?? '']
  const a = useQuery(jobQuery(client, idOfA))
  const b = useQuery(jobQuery(client, idOfB))
  const error = a.error ?? b.error
  const isAsking = idOfA === '' || idOfB === ''
  return (
    <Page
      crumbs={CRUMBS}
      actions={
        !isAsking && (
          <Button onClick={() => go(ADDRESS.comparedJobs(idOfB, idOfA), { replace: true })}>
            <ArrowLeftRight aria-hidden /> Swap
          </Button>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {isAsking && <PickOther job={a.data} onPick={(id) => go(ADDRESS.comparedJobs(idOfA, id))} />}
      {!isAsking && error === null && (a.data === undefined || b.data === undefined) && <SkeletonRows rows={8} />}
      {a.data !== undefined && b.data !== undefined && <Compared a={a.data} b={b.data} />}
    </Page>
  )
}

const LATEST = 50
// Without a link, which would lead away from the choice.
const COLUMNS = JOB_COLUMNS_OF_ENDPOINT.map((column) =>
  column.id === 'job'
    ? { ...column, cell: ({ id }: { readonly id: string }) => <span className="font-mono text-small">{id}</span> }
    : column,
)

function PickOther({ job, onPick }: { readonly job: JobDetail | undefined; readonly onPick: (jobId: string) => void }) {
  const [id, setId] = useState('')
  return (
    <>
      <Form
        onSubmit={() => id.trim() !== '' && onPick(id.trim())}
        className="flex max-w-xl items-end gap-2 [&>div]:flex-1"
      >
        <Field label="Compare with the job" value={id} onChange={({ target }) => setId(target.value)} />
        <Button type="submit" kind="main" disabled={id.trim() === ''}>
          Compare
        </Button>
      </Form>
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
        <p className="p-3 text-ink-2">This endpoint has no other jobs.</p>
      ) : (
        <NowForCells>
          <Table
            label="Other jobs"
            columns={COLUMNS}
            rows={others}
            onOpen={({ id }) => onPick(id)}
            className="max-h-96"
          />
        </NowForCells>
      )}
    </Card>
  )
}
