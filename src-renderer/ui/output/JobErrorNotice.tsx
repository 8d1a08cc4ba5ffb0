import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { editorLink } from '../../../src-main/contract/editors.ts'
import { lostWorkerText } from '../../../src-main/features/jobs/rules/lost-worker.ts'
import { errorHeadline, errorLine, errorText, readJobError } from '../../../src-main/features/jobs/rules/read-error.ts'
import {
  type CodeFolders,
  codeFoldersOf,
  fileHere,
  readTraceback,
  type TracebackFrame,
} from '../../../src-main/features/jobs/rules/read-traceback.ts'
import { TIME_LIMIT_ERROR, TIME_LIMIT_TEXT } from '../../../src-main/features/jobs/rules/time-limit.ts'
import { ADDRESS } from '../../addresses.ts'
import { read } from '../../browser/read.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { CopyButton } from '../Button.tsx'
import { useAsCalled } from '../PageStates.tsx'
import { Tooltip } from '../Tooltip.tsx'
import { useTell } from '../use-tell.ts'
import { InstallButton } from './InstallButton.tsx'

export type JobErrorNoticeProps = {
  readonly error: string
  readonly endpointId: string
  readonly headline?: string
  readonly nextStep?: ReactNode
  readonly action?: ReactNode
}

/**
 * Shows type and message once, then the calls. Frames within a ComfyUI server are folded: they say little to its user.
 */
export function JobErrorNotice({ error, endpointId, headline, nextStep, action }: JobErrorNoticeProps) {
  const read = useMemo(() => readJobError(error), [error])
  const folders = useCodeFolders(endpointId)
  const overLimit = error === TIME_LIMIT_ERROR
  const asCalled = useAsCalled()
  const lost = lostWorkerText(error)
  const said = overLimit ? TIME_LIMIT_TEXT : lost === undefined ? errorHeadline(read) : asCalled(lost)
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
          {overLimit && (
            <p className="text-small">
              Allow more time with <code>policy.executionTimeout</code> of the request, or in{' '}
              <Link to={ADDRESS.endpointSetting(endpointId, 'limits', 'executionTimeoutMs')} className="underline">
                the settings of {endpointId}
              </Link>
              .
            </p>
          )}
        </div>
        {action}
        <InstallButton error={said} endpointId={endpointId} />
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

/** Local code folders of an endpoint; undefined: unknown, as the endpoint is gone. */
function useCodeFolders(endpointId: string): CodeFolders | undefined {
  const { client } = useApp()
  // A published graph has no workers of its own to look up.
  const endpoint = useAppState(({ live: { endpoints } }) => {
    const own = endpoints[endpointId]
    return own?.graph === undefined ? own : endpoints[own.graph.behind]
  })
  const app = endpoint?.app?.name
  const { data } = useQuery({ ...read(client, ['projects'], 'projectList'), enabled: app !== undefined })
  const project = data?.projects.find((one) => one.app === app && one.isThere)?.folder
  return useMemo(() => endpoint && codeFoldersOf(endpoint, project), [endpoint, project])
}

type TracebackProps = {
  readonly traceback: string
  readonly headline: string
  readonly folders: CodeFolders | undefined
}

function Traceback({ traceback, headline, folders }: TracebackProps) {
  const parts = useMemo(
    () => readTraceback(traceback, headline).map((part, at) => ({ part, at })),
    [traceback, headline],
  )
  if (parts.length === 0) return null
  return (
    <ol
      aria-label="Traceback"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-b-control border border-failed/20 bg-surface-1 py-1 text-small text-ink-2"
    >
      {parts.map(({ part, at }) =>
        part.kind === 'frame' ? (
          <Frame key={at} frame={part} here={folders && fileHere(part.file, folders)} />
        ) : (
          <li key={at} className="px-3 py-1 break-words whitespace-pre-wrap">
            {part.text}
          </li>
        ),
      )}
    </ol>
  )
}

function Frame({ frame, here }: { readonly frame: TracebackFrame; readonly here: string | undefined }) {
  const { file, line, name, code, isOwn } = frame
  return (
    <li
      className={clsx('border-l-2 px-3 py-1', isOwn ? 'border-accent bg-accent-soft text-ink' : 'border-transparent')}
    >
      <div className="flex items-baseline gap-2">
        <SourceLink file={file} line={line} here={here} />
        {name !== undefined && <span className="shrink-0 font-mono">{name}</span>}
        <span className="min-w-0 flex-1 truncate text-ink-2" title={file}>
          {folderOf(file)}
        </span>
        {isOwn && <span className="shrink-0 text-accent">your code</span>}
      </div>
      {code.length > 0 && <pre className="mt-0.5 font-mono">{code.join('\n')}</pre>}
    </li>
  )
}

const folderOf = (file: string) => /^(.*)[\\/]/.exec(file)?.[1] ?? ''

type SourceLinkProps = {
  readonly file: string
  readonly line: number
  readonly here: string | undefined
}

const STYLE = 'shrink-0 font-mono font-medium underline decoration-dotted underline-offset-2 hover:decoration-solid'

function SourceLink({ file, line, here }: SourceLinkProps) {
  const { platform } = useApp()
  const { done, failed } = useTell()
  const editor = useAppState((state) => state.editor)
  const position = `${here ?? file}:${line}`
  const name = `${file.split(/[\\/]/).at(-1)}:${line}`
  const link = here === undefined ? undefined : editorLink(editor, here, line)
  if (link !== undefined)
    return (
      <Tooltip text={`Open ${position}`}>
        <a href={link} aria-label={`Open ${name}`} className={STYLE}>
          {name}
        </a>
      </Tooltip>
    )
  const copied =
    here === undefined
      ? `Copied ${position}. The file is not on this machine.`
      : `Copied ${position}. Choose an editor in Settings to open it there.`
  const copy = () =>
    platform.copy(position).then(
      () => done(copied),
      () => failed(new Error(`The browser did not allow copying ${position}. Select it and copy it manually.`)),
    )
  return (
    <Tooltip text={`Copy ${position}`}>
      <button type="button" aria-label={`Copy ${name}`} onClick={() => void copy()} className={STYLE}>
        {name}
      </button>
    </Tooltip>
  )
}

export function JobErrorCell({ error }: { readonly error: string | undefined }) {
  if (error === undefined) return null
  return (
    <span title={errorHeadline(readJobError(error))} className="text-failed-ink">
      {errorLine(error)}
    </span>
  )
}
