import { useQueryClient } from '@tanstack/react-query'
import { Briefcase, Download, Ellipsis, Trash2, Workflow } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import { readPayloadNode } from '../../../../src-main/features/workflows/rules/payload.ts'
import { ADDRESS } from '../../../addresses.ts'
import { download } from '../../../browser/browser-files.ts'
import { tried, useApp } from '../../../store/app-context.ts'
import { Button, CopyButton, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { Duration, RelativeTime } from '../../../ui/Values.tsx'
import { addDraft, workflowName } from '../../workflow-editor/files/add-workflow.ts'
import { hasEnded } from '../../workflow-editor/run/follow-runs.ts'
import { RunErrors, SettingList, whyNoResults } from '../../workflow-editor/run/RunDetails.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { allSettings, mainSettings } from '../../workflow-editor/run/read-settings.ts'
import { payloadOf, runName, useRun } from '../../workflow-editor/run/run-queries.ts'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'

const CRUMBS = [
  { name: 'Workflows', to: ADDRESS.workflows },
  { name: 'Gallery', to: ADDRESS.gallery() },
]

export function RunPage({ runId }: { readonly runId: string }) {
  const { data, error } = useRun(runId)
  if (data !== undefined) return <Shown run={data} />
  return (
    <Page crumbs={[...CRUMBS, { name: runId }]}>
      {error === null ? <SkeletonRows rows={8} /> : <ErrorNotice error={error} />}
    </Page>
  )
}

function Shown({ run }: { readonly run: RunDetail }) {
  const [, go] = useLocation()
  const [isAsking, setIsAsking] = useState(false)
  const [savedId, setSavedId] = useState<string>()
  const actions = useRunPageActions(run)
  const canSave = run.workflowId === undefined && savedId === undefined
  const save = useCallback(async () => setSavedId(await actions.saveToLibrary()), [actions])
  const commands = useMemo(
    () =>
      [
        { id: 'run-open-graph', label: 'Open the graph as a new workflow', run: () => void actions.openGraph() },
        ...(canSave ? [{ id: 'run-save', label: 'Save to library', run: () => void save() }] : []),
        { id: 'run-compare', label: 'Compare with another run', run: () => go(actions.compareAddress) },
        { id: 'run-delete', label: 'Delete this run', run: () => setIsAsking(true) },
      ].map((command) => ({ ...command, group: 'Run' })),
    [actions, go, canSave, save],
  )
  return (
    <Page
      crumbs={[...CRUMBS, { name: runName(run) }]}
      state={<JobStateDot state={run.status} />}
      commands={commands}
      actions={
        <>
          <Button kind="main" onClick={() => void actions.openGraph()}>
            Open graph
          </Button>
          {canSave && <Button onClick={() => void save()}>Save to library</Button>}
          {savedId !== undefined && <Button onClick={() => go(ADDRESS.workflow(savedId))}>Open in library</Button>}
          <Button onClick={() => go(actions.compareAddress)}>Compare</Button>
          <RunMenu run={run} onDelete={() => setIsAsking(true)} />
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(20rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          <RunErrors run={run} />
          <RunResults run={run} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Facts run={run} />
          <Settings run={run} />
        </div>
      </div>
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        action={`Delete run ${run.id}`}
        onConfirm={() => void actions.remove()}
      >
        Its entry in the gallery is deleted, with its results unless something else uses them. Its job stays.
      </Confirm>
    </Page>
  )
}

export function RunResults({ run }: { readonly run: RunDetail }) {
  const payload = useMemo(() => payloadOf(run), [run])
  if (run.results.length === 0)
    return run.errors.length > 0 ? null : (
      <EmptyState icon={<JobStateDot state={run.status} />}>{whyNoResults(run)}</EmptyState>
    )
  return run.results.map((result) => (
    <figure key={`${result.asset} ${result.filename} ${result.node}`} className="flex min-w-0 flex-col gap-1">
      <RunMedia
        result={result}
        name={`${result.filename} of run ${run.id}`}
        className="h-auto max-h-[75vh] max-w-full self-start rounded-control border border-line bg-surface-1"
      />
      <figcaption className="flex items-center gap-2 text-small text-ink-2">
        <span className="truncate">{captionOf(result, payload)}</span>
        <a
          href={assetAddress(result.asset)}
          download={result.filename}
          className="inline-flex items-center gap-1 text-accent hover:underline [&_svg]:size-4"
        >
          <Download aria-hidden /> Save {result.filename}
        </a>
      </figcaption>
    </figure>
  ))
}

function captionOf({ node, width, height }: RunResult, payload: ReturnType<typeof payloadOf>): string {
  const known = node === undefined ? undefined : readPayloadNode(node, payload.get(node))
  const location = node === undefined ? [] : [`${known?.title ?? known?.classType ?? 'Node'} (${node})`]
  const size = width === undefined ? [] : [`${width} × ${height}`]
  return [...location, ...size].join(' · ')
}

function Facts({ run }: { readonly run: RunDetail }) {
  return (
    <Card title="Run">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1 p-3 [&>dt]:text-ink-2">
        <dt>Id</dt>
        <dd className="flex min-w-0 items-center">
          <Link to={ADDRESS.job(run.id)} className="truncate font-mono text-small text-accent hover:underline">
            {run.id}
          </Link>
          <CopyButton text={run.id} what="id" />
        </dd>
        <dt>Endpoint</dt>
        <dd>
          <Link to={ADDRESS.endpoint(run.endpointId)} className="text-accent hover:underline">
            {run.endpointId}
          </Link>
        </dd>
        <dt>Queued</dt>
        <dd>
          <RelativeTime at={run.createdAt} />
        </dd>
        <dt>Took</dt>
        <dd>
          <Duration ms={run.executionMs} />
        </dd>
        {run.endedAt !== undefined && run.executionMs !== undefined && (
          <>
            <dt>Waited</dt>
            <dd>
              <Duration ms={Math.max(0, run.endedAt - run.createdAt - run.executionMs)} />
            </dd>
          </>
        )}
      </dl>
    </Card>
  )
}

function Settings({ run }: { readonly run: RunDetail }) {
  const [which, setWhich] = useState<'Main' | 'All'>('Main')
  const payload = useMemo(() => payloadOf(run), [run])
  return (
    <Card
      title="Settings"
      aside={
        <div className="flex items-center gap-1">
          <SegmentedChoice label="Which settings" choices={['Main', 'All']} value={which} onChange={setWhich} />
          <CopyButton text={run.payload} what="payload" />
        </div>
      }
    >
      <div className="p-3">
        <SettingList settings={which === 'Main' ? mainSettings(payload) : allSettings(payload)} />
      </div>
    </Card>
  )
}

function useRunPageActions(run: RunDetail) {
  const app = useApp()
  const [, go] = useLocation()
  const queries = useQueryClient()
  return useMemo(() => {
    const { client, store } = app
    const notifyDone = (text: string) => store.getState().notify({ kind: 'done', text })
    const text = run.document ?? run.payload
    return {
      compareAddress: `${ADDRESS.gallery()}?compare=${encodeURIComponent(run.id)}`,
      openGraph: () =>
        tried(app, 'The graph was not opened', async () =>
          go(ADDRESS.workflow((await addDraft(client, workflowName(run.title, ' (of a run)'), text)).id)),
        ),
      saveToLibrary: () =>
        tried(app, 'The workflow was not saved', async () => {
          const { id, name } = await client.call('workflowCreate', { body: { name: workflowName(run.title), text } })
          notifyDone(`${name} is in the library.`)
          return id
        }),
      remove: () =>
        tried(app, 'The run was not deleted', async () => {
          await client.call('runDelete', { path: { runId: run.id } })
          queries.removeQueries({ queryKey: ['run', run.id] })
          notifyDone('The run is deleted')
          go(ADDRESS.gallery(), { replace: true })
        }),
    }
  }, [app, queries, go, run])
}

function RunMenu({ run, onDelete }: { readonly run: RunDetail; readonly onDelete: () => void }) {
  const [, go] = useLocation()
  const { client } = useApp()
  const { workflowId } = run
  const inWorkflow = {
    label: 'Open in its workflow',
    icon: <Workflow aria-hidden />,
    disabled: workflowId === undefined,
    onSelect: () =>
      workflowId !== undefined && go(`${ADDRESS.workflow(workflowId)}?side=results&run=${encodeURIComponent(run.id)}`),
    ...(workflowId === undefined && { detail: 'Not run from the library' }),
  }
  const job = { label: 'Show job', icon: <Briefcase aria-hidden />, onSelect: () => go(ADDRESS.job(run.id)) }
  const save = {
    label: 'Export',
    detail: 'As a file that another Drydock opens and runs',
    icon: <Download aria-hidden />,
    onSelect: () => download(client.address('runFile', { path: { runId: run.id } }), `${run.id}.graph.jsonl`),
  }
  const remove = {
    label: 'Delete run',
    icon: <Trash2 aria-hidden />,
    danger: true,
    disabled: !hasEnded(run),
    onSelect: onDelete,
    ...(!hasEnded(run) && { detail: 'Cancel it first' }),
  }
  return (
    <Menu groups={[[inWorkflow, job, save], [remove]]}>
      <IconButton label="More actions" icon={<Ellipsis />} />
    </Menu>
  )
}
