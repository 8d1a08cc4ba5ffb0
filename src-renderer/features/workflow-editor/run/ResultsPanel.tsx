import { Images } from 'lucide-react'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useSearchParts } from '../../../ui/use-search-parts.ts'
import { useRuns, useTab } from '../store/editor-context.ts'
import { RunDetails } from './RunDetails.tsx'
import { RunStrip } from './RunStrip.tsx'
import { RunTextLink } from './RunTextLink.tsx'
import { useRunActions } from './use-run-actions.ts'
import { useRunList } from './use-run-list.ts'

/** What runs of this workflow gave. The chosen run stands in the address; without a choice it is that which the nodes show. */
export function ResultsPanel() {
  const { workflowId } = useTab()
  const { run } = useRunActions()
  const { phase, error, runs, fresh, list } = useRunList({ workflow: workflowId })
  const [search, set] = useSearchParts()
  // That which nodes show: the one that runs, else the last.
  const shown = useRuns((state) => state.shown?.id)
  const usual = shown ?? runs[0]?.id
  const chosen = search.get('run') ?? usual
  const choose = (runId: string) => set({ run: runId === usual ? undefined : runId })
  if (phase === 'loading') return <SkeletonRows rows={6} />
  if (error !== undefined && runs.length === 0)
    return <ErrorNotice error={error} action={<Button onClick={() => void list.start()}>Try again</Button>} />
  if (chosen === undefined)
    return (
      <EmptyState icon={<Images />} action={<Button onClick={() => void run()}>Run the graph</Button>}>
        This workflow has not been run yet. What its runs give is shown here.
      </EmptyState>
    )
  return (
    <section aria-label="Results" className="flex min-w-0 flex-col gap-2 p-3">
      <RunStrip runs={runs} selected={chosen} onSelect={choose} onEnd={() => void list.readMore()} />
      {fresh.length > 0 && <Button onClick={list.showFresh}>{fresh.length} new</Button>}
      {error !== undefined && <ErrorNotice error={error} />}
      <RunDetails key={chosen} runId={chosen} />
      <RunTextLink to={ADDRESS.gallery(workflowId)}>All runs of this workflow</RunTextLink>
    </section>
  )
}
