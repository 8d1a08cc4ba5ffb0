import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { errorHeadline, errorText, readJobError } from '../../../src-main/domain/job/read-error.ts'
import { CopyButton } from '../CopyButton.tsx'
import { Traceback } from './Traceback.tsx'
import { useCodeFolders } from './use-code-folders.ts'

/** The error of a job. */
export type JobErrorNoticeProps = {
  readonly error: string
  readonly endpointId: string
  /** Type and message, where they are told in other words: with the node of a graph, say. */
  readonly headline?: string
  /** What the person can do next. */
  readonly nextStep?: ReactNode
  /** What the person can do here and now. */
  readonly action?: ReactNode
}

/**
 * Why a job failed: type and message once, below them the calls that led there. Those within a server of graphs are
 * folded: they say little to who runs one.
 */
export function JobErrorNotice({ error, endpointId, headline, nextStep, action }: JobErrorNoticeProps) {
  const read = useMemo(() => readJobError(error), [error])
  const folders = useCodeFolders(endpointId)
  const said = errorHeadline(read)
  const traceback =
    read.traceback === undefined ? undefined : (
      <Traceback traceback={read.traceback} headline={read.node?.reason ?? said} folders={folders} />
    )
  return (
    <div role="alert" className="min-w-0 rounded-control bg-failed-soft text-failed-ink">
      <div className="flex items-start gap-2 py-2 pr-1 pl-3">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="max-h-60 min-w-0 flex-1 overflow-y-auto">
          <p className="break-words whitespace-pre-wrap">{(headline ?? said) || 'It failed without a message.'}</p>
          {nextStep !== undefined && <p className="text-small">{nextStep}</p>}
        </div>
        {action}
        <div className="-my-1">
          <CopyButton text={errorText(error)} what="error" />
        </div>
      </div>
      {traceback !== undefined && read.node === undefined && traceback}
      {traceback !== undefined && read.node !== undefined && (
        <details>
          <summary className="cursor-pointer px-3 pb-2 text-small">Traceback</summary>
          {traceback}
        </details>
      )}
    </div>
  )
}
