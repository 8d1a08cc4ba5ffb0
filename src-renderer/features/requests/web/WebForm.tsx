import { useQuery } from '@tanstack/react-query'
import { Route } from 'lucide-react'
import { useId } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeEditor } from '../../../ui/editor/LazyEditors.tsx'
import { Datalist } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { webRequestsQuery } from '../request-queries.ts'
import { BODY_KINDS, draftOfRoute, METHODS, useDeclaredRoutes, type WebDraft } from './web-draft.ts'

export type WebFormProps = {
  readonly endpoint: LiveEndpoint
  readonly draft: WebDraft
  readonly change: (change: Partial<WebDraft>) => void
  readonly file: File | undefined
  readonly onFile: (file: File | undefined) => void
  readonly problem: string | undefined
}

const METHOD_CHOICES = METHODS.map((method) => ({ value: method, label: method }))
const CONTROL = 'h-7 rounded-control border border-line-strong bg-surface-1 px-2'

export function WebForm({ endpoint, draft, change, file, onFile, problem }: WebFormProps) {
  const { method, path, headers, bodyKind, body } = draft
  const carriesNone = method === 'GET' || method === 'HEAD'
  return (
    <Card title="Request">
      <div className="flex flex-col gap-3 p-3">
        <div className="flex gap-2">
          <Select
            aria-label="Method"
            value={method}
            choices={METHOD_CHOICES}
            onChange={(value) => change({ method: value as WebDraft['method'] })}
            className="font-mono text-small"
          />
          <RequestPathField endpointId={endpoint.id} path={path} onChange={(changed) => change({ path: changed })} />
          {endpoint.app !== undefined && <RouteMenu app={endpoint.app} onChoose={change} />}
        </div>
        <label className="flex flex-col gap-1 font-medium">
          Headers
          <textarea
            rows={2}
            spellCheck={false}
            value={headers}
            placeholder="Accept: text/event-stream"
            onChange={({ target }) => change({ headers: target.value })}
            className="rounded-control border border-line-strong bg-surface-1 px-2 py-1 font-mono text-small font-normal"
          />
        </label>
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium">Body</span>
          <SegmentedChoice
            label="Type of the body"
            choices={BODY_KINDS}
            value={bodyKind}
            onChange={(kind) => change({ bodyKind: kind })}
          />
          {carriesNone && bodyKind !== 'none' && <span className="text-small text-ink-2">{method} sends none.</span>}
        </div>
        {bodyKind === 'JSON' && (
          <div className="flex h-56 flex-col">
            <CodeEditor label="Body of the request" value={body} onChange={(changed) => change({ body: changed })} />
          </div>
        )}
        {bodyKind === 'text' && (
          <textarea
            aria-label="Body of the request"
            rows={8}
            spellCheck={false}
            value={body}
            onChange={({ target }) => change({ body: target.value })}
            className="rounded-control border border-line-strong bg-surface-1 px-2 py-1 font-mono text-small"
          />
        )}
        {bodyKind === 'file' && (
          <label className="flex flex-wrap items-center gap-2">
            <span>File</span>
            <input type="file" onChange={({ target }) => onFile(target.files?.[0])} />
            {file !== undefined && <span className="truncate text-ink-2">{file.type || 'of an unknown type'}</span>}
          </label>
        )}
        <p role="status" className="min-h-4 text-small text-failed-ink">
          {problem}
        </p>
      </div>
    </Card>
  )
}

type RequestPathFieldProps = {
  readonly endpointId: string
  readonly path: string
  readonly onChange: (path: string) => void
}

function RequestPathField({ endpointId, path, onChange }: RequestPathFieldProps) {
  const { client } = useApp()
  const id = useId()
  const { data } = useQuery(webRequestsQuery(client, endpointId))
  const paths = [...new Set(data?.requests.map((request) => request.path))]
  return (
    <>
      <input
        aria-label="Path"
        list={id}
        value={path}
        spellCheck={false}
        autoComplete="off"
        placeholder="/search?q=boat"
        onChange={({ target }) => onChange(target.value)}
        className={`${CONTROL} min-w-0 flex-1 font-mono text-small`}
      />
      <Datalist id={id} values={paths} />
    </>
  )
}

type RouteMenuProps = {
  readonly app: NonNullable<LiveEndpoint['app']>
  readonly onChoose: (request: Partial<WebDraft>) => void
}

export function RouteMenu({ app, onChoose }: RouteMenuProps) {
  const declared = useDeclaredRoutes(app)
  if (declared === undefined || declared.routes.length === 0) return null
  return (
    <Menu
      groups={[
        declared.routes.map((route) => ({ label: route, onSelect: () => onChoose(draftOfRoute(route, declared)) })),
      ]}
    >
      <Button>
        <Route aria-hidden /> Routes
      </Button>
    </Menu>
  )
}
