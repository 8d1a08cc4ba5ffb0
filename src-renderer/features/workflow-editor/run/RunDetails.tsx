import { useMemo } from 'react'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { Duration, RelativeTime } from '../../../ui/Values.tsx'
import { useJump } from '../problems/use-jump.ts'
import { useTab } from '../store/editor-context.ts'
import { ResultList } from './ResultList.tsx'
import { RunErrors } from './RunErrors.tsx'
import { RunTextLink } from './RunTextLink.tsx'
import { mainSettings, seedOf } from './read-settings.ts'
import { loadGraph } from './result-actions.ts'
import { payloadOf } from './run-queries.ts'
import { SettingList } from './SettingList.tsx'
import { undoLater } from './undo-later.ts'
import { useRun } from './use-run.ts'

/** A run within the editor: what it gave, what it was made with, what can be done with it. */
export function RunDetails({ runId }: { readonly runId: string }) {
  const { data, error } = useRun(runId)
  if (error !== null) return <ErrorNotice error={error} />
  return data === undefined ? <SkeletonRows rows={6} /> : <Details run={data} />
}

function Details({ run }: { readonly run: RunDetail }) {
  const { store } = useApp()
  const tab = useTab()
  const show = useJump()
  const payload = useMemo(() => payloadOf(run), [run])
  const seed = useMemo(() => seedOf(payload), [payload])
  const load = () => {
    loadGraph(tab, run)
    store.getState().tell({ kind: 'done', text: 'The graph of the run is loaded', undo: undoLater(tab, store) })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <JobStateDot state={run.status} />
        <RelativeTime at={run.createdAt} />
        {run.executionMs !== undefined && <Duration ms={run.executionMs} />}
        {seed !== undefined && (
          <span className="flex min-w-0 items-center">
            <span className="truncate text-ink-2">
              Seed <span className="text-ink tabular-nums">{seed}</span>
            </span>
            <CopyButton text={seed} what="seed" />
          </span>
        )}
      </div>
      <RunErrors run={run} onNode={show} />
      <ResultList run={run} onNode={show} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={load}>Load this graph</Button>
      </div>
      <h3 className="font-medium">Made with</h3>
      <SettingList settings={mainSettings(payload)} />
      <RunTextLink to={ADDRESS.run(run.id)}>All settings, in the gallery</RunTextLink>
    </>
  )
}
