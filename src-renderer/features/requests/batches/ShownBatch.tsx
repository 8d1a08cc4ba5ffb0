import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, Download, ListPlus, RotateCcw, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import type { BatchDetail, BatchView } from '../../../../src-main/contract/job-routes.ts'
import { endedIn } from '../../../../src-main/features/batches/rules/counts.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { saveAddress } from '../../../browser/browser-files.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { asSentence, duration } from '../../../ui/format.ts'
import { useCancelQuestion } from '../../../ui/jobs/CancelQuestion.tsx'
import { InputCell, JobLink, useJobFaces } from '../../../ui/jobs/JobCells.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { ErrorNotice, Said } from '../../../ui/PageStates.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { ProgressBar, useNow } from '../../../ui/Values.tsx'
import { batchesQuery, batchQuery } from '../request-queries.ts'

export function ShownBatch({ batch }: { readonly batch: BatchView }) {
  const { client } = useApp()
  const { data, error } = useQuery(batchQuery(client, batch.id))
  const { name, total } = data ?? batch
  const ended = endedIn(data ?? batch)
  return (
    <Card title={name} aside={<BatchActions batch={data ?? batch} />} className="min-w-0">
      <div className="flex flex-col gap-3 p-3">
        {error !== null && <ErrorNotice error={error} />}
        <ProgressBar value={ended} max={total} label="Inputs that have ended" />
        <p>
          {ended.toLocaleString('en')} of {counted(total, 'input')} ended
          {data !== undefined && <ExpectedEnd batch={data} />}
        </p>
        {data?.waitingReason !== undefined && (
          <p className="break-words text-ink-2">
            Waiting: <Said text={data.waitingReason} />
          </p>
        )}
        <p className="flex items-center gap-1 font-mono text-small text-ink-2">
          {batch.id} <CopyButton text={batch.id} what="ID" />
        </p>
        <p>
          <TextLink to={ADDRESS.jobsOfBatch(batch.id)}>Jobs of this batch</TextLink>
        </p>
        <Counts batch={data ?? batch} />
        {data !== undefined && <Failures failures={data.failures} />}
      </div>
    </Card>
  )
}

function ExpectedEnd({ batch: { endsAt, state } }: { readonly batch: BatchDetail }) {
  const now = useNow()
  if (state === 'uploading') return ' · submit its file again to resume the upload'
  return endsAt === undefined
    ? null
    : ` · the rest in about ${duration(Math.max(0, endsAt - now))}, at the current rate`
}

const COUNTS = [
  ['Not queued', ({ drafts }) => drafts],
  ['Waiting', ({ jobs }) => jobs.IN_QUEUE],
  ['Running', ({ jobs }) => jobs.IN_PROGRESS],
  ['Completed', ({ jobs }) => jobs.COMPLETED],
  ['Failed', ({ jobs }) => jobs.FAILED],
  ['Timed out', ({ jobs }) => jobs.TIMED_OUT],
  ['Cancelled', ({ jobs }) => jobs.CANCELLED],
  ['Refused', ({ refused }) => refused],
  ['Not sent', ({ unsent }) => unsent],
  ['No longer stored', ({ gone }) => gone],
] as const satisfies readonly (readonly [string, (batch: BatchView) => number])[]

function Counts({ batch }: { readonly batch: BatchView }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-x-4 gap-y-2">
      {COUNTS.filter(([, of]) => of(batch) > 0).map(([name, of]) => (
        <div key={name}>
          <dt className="text-small text-ink-2">{name}</dt>
          <dd className="tabular-nums">{of(batch).toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  )
}

function Failures({ failures }: { readonly failures: BatchDetail['failures'] }) {
  const faces = useJobFaces(useMemo(() => failures.flatMap(({ jobId }) => jobId ?? []), [failures]))
  if (failures.length === 0) return null
  return (
    <>
      <h3 className="font-medium">Failures</h3>
      <ul aria-label="Failures" className="flex max-h-72 flex-col overflow-y-auto">
        {failures.map(({ reason, count, jobId }) => (
          <li key={reason} className="flex gap-3 border-b border-line py-1">
            <span className="w-12 shrink-0 text-right tabular-nums">{count.toLocaleString('en')} ×</span>
            <div className="min-w-0 flex-1">
              <p className="break-words">{asSentence(reason)}</p>
              {jobId !== undefined && (
                <div className="flex min-w-0 items-center gap-2 text-ink-2">
                  {count === 1 ? 'Job' : 'One of them'}: <JobLink id={jobId} />
                  <span className="min-w-0 truncate">
                    <InputCell preview={faces.get(jobId)?.preview} />
                  </span>
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function BatchActions({ batch }: { readonly batch: BatchView }) {
  const { id: batchId, name, endpointId, jobs, state, drafts } = batch
  const { client } = useApp()
  const { done, failed } = useTell()
  const queries = useQueryClient()
  const path = { batchId }
  const work = useMutation({
    mutationFn: (act: () => Promise<string>) => act(),
    onSuccess: done,
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['batches', endpointId] }),
  })
  const move = async (action: 'batchRetry' | 'batchCancel', done: string) => {
    const { changed, refused } = await client.call(action, { path })
    await queries.invalidateQueries({ queryKey: ['batch', batchId] })
    const not = refused.map(({ count, reason }) => ` ${counted(count, 'job')} not: ${reason}.`)
    return `${counted(changed, 'job')} ${done}.${not.join('')}`
  }
  const remove = async () => {
    // Out of the list first, because the shown one is polled.
    const { queryKey } = batchesQuery(client, endpointId)
    queries.setQueryData(queryKey, (list) => list && { batches: list.batches.filter(({ id }) => id !== batchId) })
    await client.call('batchDelete', { path })
    return `${name} is forgotten. Its jobs stay.`
  }
  const save = () => saveAddress(client.address('batchExport', { path }), 'batch.jsonl')
  const cancel = useCancelQuestion({
    jobs: () => ({ batch: batchId }),
    action: `Cancel ${name}`,
    run: () => work.mutate(() => move('batchCancel', 'cancelled')),
  })
  const finalize = async () => {
    await client.call('batchFinalize', { path })
    await queries.invalidateQueries({ queryKey: ['batch', batchId] })
    return `${counted(drafts, 'job')} queued.`
  }
  return (
    <div className="flex gap-2">
      {state === 'draft' && (
        <Button disabled={work.isPending} onClick={() => work.mutate(finalize)}>
          <ListPlus aria-hidden /> Finalize
        </Button>
      )}
      {jobs.FAILED + jobs.TIMED_OUT > 0 && (
        <Button disabled={work.isPending} onClick={() => work.mutate(() => move('batchRetry', 'queued again'))}>
          <RotateCcw aria-hidden /> Retry failed
        </Button>
      )}
      <Button onClick={save}>
        <Download aria-hidden /> Results
      </Button>
      <MoreMenu
        label={`More for ${name}`}
        disabled={work.isPending}
        groups={[
          [
            {
              label: 'Cancel what has not ended',
              icon: <Ban />,
              onSelect: () => void cancel.ask(),
            },
          ],
          [{ label: `Forget ${name}`, icon: <Trash2 />, danger: true, onSelect: () => work.mutate(remove) }],
        ]}
      />
      {cancel.question}
    </div>
  )
}
