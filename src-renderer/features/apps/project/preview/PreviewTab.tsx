import { MonitorPlay } from 'lucide-react'
import { useMemo } from 'react'
import type { PreviewView, ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import type { Command } from '../../../../store/commands-slice.ts'
import { Button } from '../../../../ui/Button.tsx'
import { CommandsHere } from '../../../../ui/CommandsHere.tsx'
import { EmptyState } from '../../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../../ui/Skeleton.tsx'
import { StateDot, type StateDotProps } from '../../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../../ui/Values.tsx'
import { NotesView } from './NotesView.tsx'
import { OpenPagesButton } from './OpenPagesButton.tsx'
import { PreviewNow } from './PreviewNow.tsx'
import { type ProjectPreview, usePreview } from './use-preview.ts'

const DOTS: Readonly<Record<PreviewView['state'], StateDotProps>> = {
  starting: { tone: 'running', word: 'Starting', pulses: true },
  live: { tone: 'completed', word: 'Live' },
  broken: { tone: 'failed', word: 'Newest save does not run' },
  stopping: { tone: 'queued', word: 'Stopping' },
  ended: { tone: 'queued', word: 'Ended' },
}

/** Runs the app on a service of its own that follows every save. */
export function PreviewTab({ project }: { readonly project: ProjectDetail }) {
  const live = usePreview(project)
  const { preview, error, start, stop } = live
  const runs = preview != null && preview.state !== 'ended'
  const commands = useMemo<readonly Command[]>(
    () => [
      runs
        ? { id: 'preview', group: 'Project', label: 'Stop preview', keys: 'p', run: () => stop() }
        : { id: 'preview', group: 'Project', label: 'Start preview', keys: 'p', run: () => start() },
    ],
    [runs, start, stop],
  )
  if (preview === undefined) return error === null ? <SkeletonRows rows={6} /> : <ErrorNotice error={error} />
  if (preview === null)
    return (
      <>
        <CommandsHere commands={commands} />
        <EmptyState
          icon={<MonitorPlay />}
          command="drydock deploy --preview"
          action={
            <Button kind="main" onClick={() => live.start()} disabled={!project.isThere}>
              Start preview
            </Button>
          }
        >
          A preview runs the app on a service of its own while you work on it: every save is live a moment later, and
          nothing of it stays when it ends.
        </EmptyState>
      </>
    )
  return (
    <>
      <CommandsHere commands={commands} />
      <PreviewHead live={live} preview={preview} canStart={project.isThere} />
      <PreviewNow preview={preview} openPages={live.openPages} />
      <NotesView notes={preview.notes} />
    </>
  )
}

type HeadProps = { readonly live: ProjectPreview; readonly preview: PreviewView; readonly canStart: boolean }

function PreviewHead({ live, preview, canStart }: HeadProps) {
  const { state, startedAt, url, runsOn } = preview
  const ended = state === 'ended'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <StateDot {...DOTS[state]} />
      {startedAt > 0 && (
        <span className="text-small text-ink-2">
          started <RelativeTime at={startedAt} />
          {runsOn !== undefined && `, workers are ${runsOn}`}
        </span>
      )}
      <div className="ml-auto flex items-center gap-2">
        {!ended && url !== undefined && <OpenPagesButton openPages={live.openPages} />}
        {ended ? (
          <Button kind="main" onClick={() => live.start()} disabled={!canStart}>
            Start preview
          </Button>
        ) : (
          <Button onClick={() => live.stop()} disabled={state === 'stopping'}>
            Stop preview
          </Button>
        )}
      </div>
    </div>
  )
}
