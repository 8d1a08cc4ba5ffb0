import { useQuery } from '@tanstack/react-query'
import { Bookmark, RotateCcw, Send, Square } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { ProxiedRequest } from '../../../../src-main/contract/management.ts'
import type { RequestDraft } from '../../../../src-main/contract/requests.ts'
import type { SampleCall } from '../../../../src-main/features/jobs/rules/requests/sample-call.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { IdLink } from '../../../ui/Links.tsx'
import { CodeSamples } from '../../../ui/output/CodeSamples.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { RelativeTime, SHORT_SPAN_PX, ShortDuration } from '../../../ui/Values.tsx'
import { useSendKey } from '../draft.ts'
import { webRequestsQuery } from '../request-queries.ts'
import { SavedRequests } from '../SavedRequests.tsx'
import { sendWeb, type WebResponse } from './send-web.ts'
import { WebForm } from './WebForm.tsx'
import { WebResponsePane } from './WebResponsePane.tsx'
import { hasBody, METHODS, sentHeaders, useWebDraft, type WebDraft, webProblem } from './web-draft.ts'

export function WebRequests({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const [draft, change] = useWebDraft(endpoint)
  const [file, setFile] = useState<File>()
  const [search, setSearch] = useSearchParams()
  const { response, send, stop } = useWebResponse(endpoint.id)
  const problem = webProblem(draft, file)
  const sendNow = () => {
    if (problem === undefined) send(draft, file)
  }
  const showSaved = () => setSearch({ panel: 'saved' })
  const group = `Endpoint ${endpoint.name}`
  const isOpen = response !== undefined && response.endedAt === undefined
  useSendKey(sendNow)
  return (
    <>
      <CommandsHere
        commands={[
          { id: 'send', group, label: 'Send this request', run: sendNow },
          { id: 'saved', group, label: 'Saved requests', also: 'new saved request', keys: 's', run: showSaved },
        ]}
      />
      <div className="flex flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          {choice}
          <Button kind="main" disabled={problem !== undefined} onClick={sendNow} aria-keyshortcuts="Control+Enter">
            <Send aria-hidden /> Send
          </Button>
          {isOpen && (
            <Button onClick={stop}>
              <Square aria-hidden /> Stop
            </Button>
          )}
          <Button className="ml-auto" onClick={showSaved}>
            <Bookmark aria-hidden /> Saved requests
          </Button>
        </div>
        <p className="text-small text-ink-2">
          Sent with the session of this browser, which the worker does not see. No key is needed here.
        </p>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <WebForm draft={draft} change={change} file={file} onFile={setFile} problem={problem} endpoint={endpoint} />
        {response === undefined ? (
          <EmptyState isFramed>The response appears here. Ctrl Enter sends the request.</EmptyState>
        ) : (
          <WebResponsePane response={response} endpoint={endpoint} />
        )}
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <WebHistory endpointId={endpoint.id} endedAt={response?.endedAt} onLoad={change} />
        <CodeSamples call={problem === undefined ? sampleCall(endpoint, draft, file) : undefined} />
      </div>
      {search.get('panel') === 'saved' && (
        <SavedRequests
          endpointId={endpoint.id}
          current={toSaved(draft)}
          onLoad={({ request }) => change(fromSaved(request))}
          onClose={() => setSearch({})}
        />
      )}
    </>
  )
}

function useWebResponse(endpointId: string) {
  const { client, platform } = useApp()
  const [response, setResponse] = useState<WebResponse>()
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])
  const send = (draft: WebDraft, file: File | undefined) => {
    sending.current?.abort()
    const abort = new AbortController()
    sending.current = abort
    const onChange = (changed: WebResponse) => {
      if (sending.current === abort) setResponse(changed)
    }
    void sendWeb({ client, now: platform.now, endpointId, draft, file, signal: abort.signal, onChange })
  }
  return { response, send, stop: () => sending.current?.abort() }
}

function sampleCall({ id, url }: LiveEndpoint, draft: WebDraft, file: File | undefined): SampleCall {
  const isFile = draft.bodyKind === 'file'
  return {
    endpointId: id,
    url,
    operation: 'request',
    method: draft.method,
    path: draft.path,
    headers: sentHeaders(draft, file),
    body: !hasBody(draft) ? undefined : isFile ? file?.name : draft.body,
    bodyIs: isFile ? 'file' : draft.bodyKind === 'JSON' ? 'json' : 'text',
  }
}

// Files cannot be saved: the page only knows their content.
const toSaved = ({ method, path, headers, bodyKind, body }: WebDraft): RequestDraft => ({
  operation: 'request',
  method,
  path,
  headers,
  body,
  bodyKind: bodyKind === 'JSON' ? 'json' : bodyKind === 'text' ? 'text' : 'none',
})

const fromSaved = ({ method = 'GET', path = '/', headers = '', body, bodyKind }: RequestDraft): WebDraft => ({
  method,
  path,
  headers,
  body,
  bodyKind: bodyKind === 'json' ? 'JSON' : (bodyKind ?? 'none'),
})

type WebHistoryProps = {
  readonly endpointId: string
  readonly endedAt: number | undefined
  readonly onLoad: (request: Partial<WebDraft>) => void
}

// The service logs requests with a delay, longer under load.
const LOGGED_AFTER_MS = [400, 2000, 6000] as const

function WebHistory({ endpointId, endedAt, onLoad }: WebHistoryProps) {
  const { client, platform } = useApp()
  const { data, error, refetch } = useQuery(webRequestsQuery(client, endpointId))
  useEffect(() => {
    if (endedAt === undefined) return undefined
    const timers = LOGGED_AFTER_MS.map((ms) => platform.after(ms, () => void refetch()))
    return () => {
      for (const cancel of timers) cancel()
    }
  }, [platform, endedAt, refetch])
  return (
    <Card title="History">
      <QueryState data={data} error={error} rows={4} />
      {data?.requests.length === 0 && <EmptyState>Nothing has been sent to this endpoint yet.</EmptyState>}
      {data !== undefined && data.requests.length > 0 && (
        <Table
          label="History of requests"
          columns={columnsOf(onLoad)}
          rows={data.requests}
          onOpen={(request) => onLoad(draftOf(request))}
          className="max-h-96"
        />
      )}
    </Card>
  )
}

const draftOf = ({ method, path }: ProxiedRequest): Partial<WebDraft> => ({
  path,
  method: METHODS.find((one) => one === method) ?? 'GET',
})

const toneOf = (status = 0) => (status === 0 || status >= 500 ? 'failed' : status >= 400 ? 'timed-out' : 'completed')

const columnsOf = (onLoad: WebHistoryProps['onLoad']): readonly Column<ProxiedRequest>[] => [
  {
    id: 'status',
    header: 'Status',
    width: 100,
    cell: ({ status }) => (
      <StateDot tone={toneOf(status)} text={status === undefined ? 'No response' : String(status)} />
    ),
  },
  {
    id: 'path',
    header: 'Request',
    width: 140,
    grow: 1,
    cell: ({ method, path, error }) => (
      <span className="font-mono text-small" title={error}>
        {method} {path}
      </span>
    ),
  },
  {
    id: 'worker',
    header: 'Worker',
    width: 128,
    cell: ({ workerId }) => workerId && <IdLink to={ADDRESS.worker(workerId)}>{workerId}</IdLink>,
  },
  { id: 'when', header: 'Sent', width: 116, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'took',
    header: 'Took',
    width: SHORT_SPAN_PX,
    align: 'right',
    cell: ({ durationMs }) => <ShortDuration ms={durationMs} />,
  },
  {
    id: 'load',
    header: '',
    width: 48,
    cell: (request) => (
      <IconButton label="Put it into the form" onClick={() => onLoad(draftOf(request))}>
        <RotateCcw />
      </IconButton>
    ),
  },
]
