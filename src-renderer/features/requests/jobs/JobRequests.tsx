import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Bookmark, Columns3, RotateCcw, Send } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { SavedRequest } from '../../../../src-main/contract/requests.ts'
import type { SampleCall } from '../../../../src-main/features/jobs/rules/requests/sample-call.ts'
import { ADDRESS } from '../../../addresses.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { JOB_COLUMNS, NowForCells } from '../../../ui/jobs/JobColumns.tsx'
import { useJobKeys } from '../../../ui/jobs/JobKeys.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { CodeSamples } from '../../../ui/output/CodeSamples.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, QueryState } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useSendKey } from '../draft.ts'
import { SavedRequests } from '../SavedRequests.tsx'
import { BodyEditor } from './BodyEditor.tsx'
import { readBody, useJobDraft } from './job-draft.ts'
import { ResponsePane } from './ResponsePane.tsx'
import { HISTORY_LENGTH, JOB_OPERATIONS, type JobOperation, useResponses } from './responses.ts'

export function JobRequests({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const { operation, text, hints, problem, change, beginFrom } = useJobDraft(endpoint.id)
  const { responses, send, close } = useResponses(endpoint.id)
  const [search, setSearch] = useSearchParams()
  const read = useMemo(() => (text === undefined ? undefined : readBody(text)), [text])
  const body = read?.ok ? text : undefined
  const sendOne = () => body !== undefined && send([operation], body)
  const sendAll = () => body !== undefined && send(JOB_OPERATIONS, body)
  const showSaved = () => setSearch({ panel: 'saved' })
  const group = `Endpoint ${endpoint.name}`
  const load = ({ request }: SavedRequest) => {
    if (request.operation !== 'request') change({ operation: request.operation, body: request.body })
  }
  const shown = JOB_OPERATIONS.flatMap((one) => responses.find((response) => response.operation === one) ?? [])
  useSendKey(sendOne)
  return (
    <>
      <CommandsHere
        commands={[
          { id: 'send', group, label: 'Send this request', run: sendOne },
          { id: 'send-all', group, label: 'Send it as run, runsync and stream', run: sendAll },
          { id: 'saved', group, label: 'Saved requests', also: 'new saved request', keys: 's', run: showSaved },
        ]}
      />
      <SendStrip
        choice={choice}
        operation={operation}
        onOperation={(wanted: JobOperation) => change({ operation: wanted })}
        onSend={sendOne}
        onSendAll={sendAll}
        onSaved={showSaved}
        disabled={body === undefined}
      />
      {problem !== null && (
        <ErrorNotice
          error={problem}
          action={<Button onClick={() => beginFrom(undefined)}>Continue without it</Button>}
        />
      )}
      <div
        className={clsx(
          'grid items-start gap-4',
          shown.length > 1 ? 'xl:grid-cols-[minmax(320px,1fr)_3fr]' : 'lg:grid-cols-2',
        )}
      >
        <BodyEditor
          text={text}
          problem={read?.ok === false ? read.problem : undefined}
          hints={hints}
          isLow={shown.length > 1}
          focuses={search.get('focus') === 'body'}
          onChange={(changed) => change({ body: changed })}
        />
        {shown.length === 0 ? (
          <EmptyState isFramed>
            {endpoint.paused
              ? 'The endpoint is paused: requests are accepted and wait until it is resumed.'
              : 'The response appears here. Ctrl Enter sends the request.'}
          </EmptyState>
        ) : (
          <div
            className={clsx('grid min-w-0 items-start gap-4', shown.length > 1 && 'md:auto-cols-fr md:grid-flow-col')}
          >
            {shown.map((response) => (
              <ResponsePane
                key={response.operation}
                endpoint={endpoint}
                response={response}
                onClose={() => close(response.operation)}
              />
            ))}
          </div>
        )}
      </div>
      <div className="grid items-start gap-4 min-[1440px]:grid-cols-[3fr_2fr]">
        {endpoint.graph === undefined && <JobHistory endpointId={endpoint.id} onLoad={beginFrom} />}
        <CodeSamples call={body === undefined ? undefined : sampleCall(endpoint, operation, body)} />
      </div>
      {search.get('panel') === 'saved' && (
        <SavedRequests
          endpointId={endpoint.id}
          current={text === undefined ? undefined : { operation, body: text }}
          onLoad={load}
          onClose={() => setSearch({})}
        />
      )}
    </>
  )
}

const sampleCall = ({ id, url }: LiveEndpoint, operation: JobOperation, body: string): SampleCall => ({
  endpointId: id,
  url,
  operation,
  body,
})

type SendStripProps = {
  readonly choice: ReactNode
  readonly operation: JobOperation
  readonly onOperation: (operation: JobOperation) => void
  readonly onSend: () => void
  readonly onSendAll: () => void
  readonly onSaved: () => void
  readonly disabled: boolean
}

const MEANINGS: Readonly<Record<JobOperation, string>> = {
  run: 'Queues the job and returns at once; the result appears here when it is ready.',
  runsync: 'Waits for the result in the same request.',
  stream: 'Queues the job and shows what the handler yields as it arrives.',
}

function SendStrip(props: SendStripProps) {
  const { choice, operation, onOperation, onSend, onSendAll, onSaved, disabled } = props
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        {choice}
        <SegmentedChoice label="Operation" choices={JOB_OPERATIONS} value={operation} onChange={onOperation} />
        <Button kind="main" disabled={disabled} onClick={onSend} aria-keyshortcuts="Control+Enter">
          <Send aria-hidden /> Send
        </Button>
        <Button disabled={disabled} onClick={onSendAll}>
          <Columns3 aria-hidden /> Send all three
        </Button>
        <Button className="ml-auto" onClick={onSaved}>
          <Bookmark aria-hidden /> Saved requests
        </Button>
      </div>
      <p className="text-small text-ink-2">
        {MEANINGS[operation]} Sent as <code>application/json</code> with the session of this browser, so no key is
        needed here.
      </p>
    </div>
  )
}

type JobHistoryProps = { readonly endpointId: string; readonly onLoad: (jobId: string) => void }

export function JobHistory({ endpointId, onLoad }: JobHistoryProps) {
  const { client } = useApp()
  const { data, error } = useQuery(latestJobsQuery(client, endpointId, HISTORY_LENGTH))
  const { onRerun, onCancel, question } = useJobKeys()
  return (
    <Card title="History" aside={<TextLink to={ADDRESS.endpoint(endpointId, 'jobs')}>All jobs</TextLink>}>
      <QueryState data={data} error={error} rows={4} />
      {data?.requests.length === 0 && <EmptyState>Nothing has been sent to this endpoint yet.</EmptyState>}
      {data !== undefined && data.requests.length > 0 && (
        <NowForCells>
          <Table
            label="History of requests"
            columns={columnsOf(onLoad)}
            rows={data.requests}
            onOpen={({ id }) => onLoad(id)}
            onRerun={onRerun}
            onCancel={onCancel}
            className="max-h-96"
          />
          {question}
        </NowForCells>
      )}
    </Card>
  )
}

const SHOWN = new Set(['state', 'job', 'input', 'result', 'created', 'ran'])

const columnsOf = (onLoad: (jobId: string) => void): readonly Column<JobListItem>[] => [
  ...JOB_COLUMNS.filter(({ id }) => SHOWN.has(id)).map((column) =>
    column.id === 'input' ? { ...column, width: 82 } : column,
  ),
  {
    id: 'load',
    header: '',
    width: 48,
    cell: ({ id }) => (
      <IconButton label="Put its input into the editor" onClick={() => onLoad(id)}>
        <RotateCcw />
      </IconButton>
    ),
  },
]
