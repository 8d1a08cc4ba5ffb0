import { ExternalLink, MonitorPlay } from 'lucide-react'
import { useState } from 'react'
import type { PreviewView, ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { EndpointAddresses } from '../EndpointAddresses.tsx'
import { ReleaseSteps } from '../ReleaseParts.tsx'
import { NotesView } from './NotesView.tsx'
import { ProblemList } from './ProblemList.tsx'
import { type ProjectPreview, usePreview } from './use-preview.ts'

const DOTS: Readonly<Record<PreviewView['state'], StateDotProps>> = {
  starting: { tone: 'running', text: 'Starting', pulses: true },
  live: { tone: 'completed', text: 'Live' },
  broken: { tone: 'failed', text: 'Latest save does not run' },
  stopping: { tone: 'queued', text: 'Stopping' },
  ended: { tone: 'queued', text: 'Ended' },
}

export function PreviewTab({ project }: { readonly project: ProjectDetail }) {
  const live = usePreview(project)
  const { preview, error, start, stop } = live
  const runs = preview != null && preview.state !== 'ended'
  const [label, run] = runs ? ['Stop preview', () => stop()] : ['Start preview', () => start()]
  const commands = [{ id: 'preview', group: 'Project', label, keys: 'p', run }]
  if (preview === undefined) return error === null ? <SkeletonRows rows={6} /> : <ErrorNotice error={error} />
  if (preview === null)
    return (
      <>
        <CommandsHere commands={commands} />
        <EmptyState
          icon={<MonitorPlay />}
          command="drydock deploy --preview"
          folder={project.folder}
          action={
            <Button kind="main" onClick={() => live.start()} disabled={!project.isThere}>
              Start preview
            </Button>
          }
        >
          A preview runs the app on a service of its own while you work on it: every save is live a moment later, and
          everything is removed when it ends.
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

/** `openPages` settles once the pages are open or a failure was reported. */
type OpenPagesButtonProps = { readonly openPages: () => Promise<void> }

function OpenPagesButton({ openPages }: OpenPagesButtonProps) {
  const [asked, setAsked] = useState(false)
  const open = async () => {
    setAsked(true)
    await openPages()
    setAsked(false)
  }
  return (
    <Button onClick={() => void open()} disabled={asked}>
      <ExternalLink aria-hidden /> Open its pages
    </Button>
  )
}

function PreviewNow({ preview, openPages }: Pick<ProjectPreview, 'openPages'> & { readonly preview: PreviewView }) {
  const { state, problems, why, steps, endpoints, url, startedAt } = preview
  const ended = state === 'ended'
  const prepares = steps.some((step) => step.state === 'starting' || step.state === 'failed')
  return (
    <>
      {why !== undefined && <ErrorNotice error={why} />}
      {why === undefined && state === 'broken' && (
        <ErrorNotice error={`The latest save does not run.${liveText(preview)}`} />
      )}
      <ProblemList label="Problems of the latest save" problems={problems} kind="problem" />
      {!ended && prepares && (
        <Card title="Getting ready">
          <ReleaseSteps steps={steps} startedAt={startedAt} seenAt={{}} />
        </Card>
      )}
      {!ended && endpoints.length > 0 && (
        <Card
          title="Answers at"
          aside={
            url !== undefined && (
              <span className="flex items-center gap-1 text-small text-ink-2">
                <code className="font-mono">{url}</code>
                <CopyButton text={url} what="address of the preview" />
              </span>
            )
          }
        >
          <EndpointAddresses endpoints={endpoints} openElsewhere={(address) => void openPages(address)} />
        </Card>
      )}
    </>
  )
}

function liveText({ endpoints, release }: PreviewView): string {
  if (endpoints.length === 0) return ' Nothing is live yet. Fix it and save.'
  const last = release === undefined ? '' : ` of release ${release}`
  return ` ${counted(endpoints.length, 'endpoint')}${last} ${endpoints.length === 1 ? 'goes' : 'go'} on with the previous code. Fix it and save.`
}
