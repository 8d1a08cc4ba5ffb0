import type { PreviewView } from '../../../../../src-main/contract/projects.ts'
import { Card } from '../../../../ui/Card.tsx'
import { CopyButton } from '../../../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../../../ui/ErrorNotice.tsx'
import { counted } from '../../../../ui/format.ts'
import { EndpointAddresses } from '../../EndpointAddresses.tsx'
import { ReleaseSteps } from '../../release/ReleaseSteps.tsx'
import { ProblemList } from '../ProblemList.tsx'
import type { ProjectPreview } from './use-preview.ts'

/** A preview; `openPages` opens an address of its own pages. */
export type PreviewNowProps = Pick<ProjectPreview, 'openPages'> & { readonly preview: PreviewView }

/** How a preview is now: what the newest save broke, what is being started, what answers. */
export function PreviewNow({ preview, openPages }: PreviewNowProps) {
  const { state, problems, why, steps, endpoints, url, startedAt } = preview
  const ended = state === 'ended'
  const prepares = steps.some((step) => step.state === 'starting' || step.state === 'failed')
  return (
    <>
      {why !== undefined && <ErrorNotice error={why} />}
      {why === undefined && state === 'broken' && (
        <ErrorNotice error={`The newest save does not run.${stillAnswers(preview)}`} />
      )}
      <ProblemList label="Problems of the newest save" problems={problems} kind="problem" />
      {!ended && prepares && (
        <Card title="Getting ready">
          <ReleaseSteps steps={steps} startedAt={startedAt} seenAt={{}} />
        </Card>
      )}
      {!ended && endpoints.length > 0 && (
        <Card title="Answers at" aside={url !== undefined && <ServiceAddress url={url} />}>
          <EndpointAddresses endpoints={endpoints} openElsewhere={(address) => void openPages(address)} />
        </Card>
      )}
    </>
  )
}

function stillAnswers({ endpoints, release }: PreviewView): string {
  if (endpoints.length === 0) return ' Nothing answers yet. Mend it and save.'
  const last = release === undefined ? '' : ` of release ${release}`
  return ` ${counted(endpoints.length, 'endpoint')}${last} ${endpoints.length === 1 ? 'goes' : 'go'} on with the code before it. Mend it and save.`
}

function ServiceAddress({ url }: { readonly url: string }) {
  return (
    <span className="flex items-center gap-1 text-small text-ink-2">
      <code className="font-mono">{url}</code>
      <CopyButton text={url} what="address of the preview" />
    </span>
  )
}
