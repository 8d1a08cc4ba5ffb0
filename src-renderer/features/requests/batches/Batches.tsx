import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ListPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { BatchView } from '../../../../src-main/contract/job-routes.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { endedIn, failedIn } from '../../../../src-main/features/batches/rules/counts.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { loadCode } from '../../../browser/load-code.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Form, Submit } from '../../../ui/form/Form.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { batchesQuery } from '../request-queries.ts'
import { ShownBatch } from './ShownBatch.tsx'

const STATES: Readonly<Record<BatchView['state'], StateDotProps>> = {
  uploading: { tone: 'queued', text: 'Inputs missing' },
  draft: { tone: 'queued', text: 'Draft' },
  running: { tone: 'running', text: 'Running' },
  ended: { tone: 'completed', text: 'Ended' },
  cancelled: { tone: 'cancelled', text: 'Cancelled' },
  failed: { tone: 'failed', text: 'Failed' },
}

function batchState(batch: BatchView): StateDotProps {
  const hasFailed = batch.state === 'ended' && failedIn(batch) > 0
  return hasFailed ? { tone: 'failed', text: 'Ended with failures' } : STATES[batch.state]
}

export function Batches({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data, error } = useQuery(batchesQuery(client, endpoint.id))
  const batches = data?.batches ?? []
  const shown = batches.find(({ id }) => id === search.get('batch')) ?? batches[0]
  const show = (id: string) => setSearch({ view: 'batches', batch: id })
  return (
    <>
      <div>{choice}</div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(300px,2fr)_3fr]">
        <SubmitBatch endpointId={endpoint.id} onBegun={show} />
        <QueryState data={data} error={error} rows={6} />
        {data !== undefined && shown === undefined && (
          <EmptyState isFramed command={`drydock batch submit ${endpoint.id} inputs.jsonl`}>
            There are no batches of this endpoint yet. A batch is a file of inputs: each becomes a job, and they are
            counted, retried and exported together.
          </EmptyState>
        )}
        {shown !== undefined && <ShownBatch key={shown.id} batch={shown} />}
      </div>
      {batches.length > 0 && (
        <Card title="Batches">
          <Table
            label="Batches"
            columns={columnsOf(shown?.id)}
            rows={batches}
            onOpen={({ id }) => show(id)}
            className="max-h-96"
          />
        </Card>
      )}
    </>
  )
}

const columnsOf = (shownId: string | undefined): readonly Column<BatchView>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 1,
    cell: ({ id, name }) => <span className={id === shownId ? 'font-medium' : ''}>{name}</span>,
  },
  { id: 'state', header: 'State', width: 168, cell: (one) => <StateDot {...batchState(one)} /> },
  {
    id: 'ended',
    header: 'Ended',
    width: 140,
    align: 'right',
    cell: (one) => `${endedIn(one).toLocaleString('en')} of ${one.total.toLocaleString('en')}`,
  },
  { id: 'failed', header: 'Failed', width: 90, align: 'right', cell: (one) => failedIn(one).toLocaleString('en') },
  { id: 'created', header: 'Created', width: 120, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

type SubmitBatchProps = { readonly endpointId: string; readonly onBegun: (batchId: string) => void }

function SubmitBatch({ endpointId, onBegun }: SubmitBatchProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [file, setFile] = useState<File>()
  const [sent, setSent] = useState('')
  const submit = useMutation({
    mutationFn: (chosen: File) => submitFile(client, endpointId, { file: chosen, onSent: setSent, onBegun }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['batches', endpointId] }),
  })
  const onSubmit = () => {
    setSent('')
    if (file !== undefined) submit.mutate(file)
  }
  return (
    <Card title="New batch">
      <Form onSubmit={onSubmit} className="flex flex-col gap-3 p-3">
        <Field
          label="File of inputs"
          type="file"
          accept=".jsonl,.ndjson,.json,.csv,application/x-ndjson,text/csv"
          hint="JSON lines, each an input or a request with one; or CSV, whose header names the fields."
          onChange={({ target }) => setFile(target.files?.[0])}
        />
        <p className="text-small text-ink-2">
          A file with a broken line is refused as a whole. If an upload breaks off, submit the same file again.
        </p>
        <p role="status" className="min-h-4 tabular-nums">
          {sent}
        </p>
        <Submit error={submit.error} disabled={file === undefined || submit.isPending} className="self-start">
          <ListPlus aria-hidden /> Submit
        </Submit>
      </Form>
    </Card>
  )
}

type Submitting = {
  readonly file: File
  readonly onBegun: (batchId: string) => void
  readonly onSent: (text: string) => void
}

async function submitFile(client: ApiClient, endpointId: string, { file, onBegun, onSent }: Submitting) {
  const { checkInputs, piecesOf, readInputs } = await loadCode(
    () => import('../../../../src-main/features/batches/rules/file.ts'),
  )
  const read = () => readInputs(textOf(file), file.name.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl')
  onSent('Reading the file')
  const { total, problems } = await checkInputs(read()).finally(() => onSent(''))
  if (problems.length > 0) throw new Error(`${file.name}: ${problems.join('; ')}. Nothing was queued.`)
  const fingerprint = `file ${file.name.slice(0, 100)} ${file.size} ${file.lastModified}`
  const made = await client.call('batchCreate', {
    path: { endpointId },
    body: { name: file.name.slice(0, 100), total, fingerprint },
  })
  onBegun(made.id)
  let sent = total - made.unsent
  for await (const { from, text, inputs } of piecesOf(read(), made.received)) {
    const bytes = new Blob([text])
    await client.call('batchAppend', { path: { batchId: made.id }, query: { from: String(from) }, bytes })
    sent += inputs
    onSent(`${sent.toLocaleString('en')} of ${counted(total, 'input')} sent`)
  }
  await client.call('batchFinalize', { path: { batchId: made.id } })
}

// Not every browser can iterate over a stream directly.
async function* textOf(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}
