import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { Duration, RelativeTime } from '../../../ui/Values.tsx'
import { RunErrors } from '../../workflow-editor/run/RunErrors.tsx'
import { allSettings, mainSettings } from '../../workflow-editor/run/read-settings.ts'
import { runName } from '../../workflow-editor/run/run-name.ts'
import { payloadOf } from '../../workflow-editor/run/run-queries.ts'
import { SettingList } from '../../workflow-editor/run/SettingList.tsx'
import { useRun } from '../../workflow-editor/run/use-run.ts'
import { RunMenu } from './RunMenu.tsx'
import { RunResults } from './RunResults.tsx'
import { useRunPageActions } from './use-run-page-actions.ts'

const CRUMBS = [
  { name: 'Workflows', to: ADDRESS.workflows },
  { name: 'Gallery', to: ADDRESS.gallery() },
]

/** A run with what it gave and what it was made with. */
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
  const actions = useRunPageActions(run)
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: 'run-open-graph',
        group: 'Run',
        label: 'Open its graph as a new workflow',
        run: () => void actions.openGraph(),
      },
      { id: 'run-compare', group: 'Run', label: 'Compare with another run', run: () => go(actions.compareAddress) },
      { id: 'run-delete', group: 'Run', label: 'Delete this run', run: () => setIsAsking(true) },
    ],
    [actions, go],
  )
  return (
    <Page
      crumbs={[...CRUMBS, { name: runName(run) }]}
      state={<JobStateDot state={run.status} />}
      commands={commands}
      actions={
        <>
          <Button kind="main" onClick={() => void actions.openGraph()}>
            Open its graph
          </Button>
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
        Its entry in the gallery goes, and its results with it unless something else uses them. Its job stays.
      </Confirm>
    </Page>
  )
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

type Which = 'Main' | 'All'

function Settings({ run }: { readonly run: RunDetail }) {
  const [which, setWhich] = useState<Which>('Main')
  const payload = useMemo(() => payloadOf(run), [run])
  const settings = which === 'Main' ? mainSettings(payload) : allSettings(payload)
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
        <SettingList settings={settings} />
      </div>
    </Card>
  )
}
