import clsx from 'clsx'
import { useMemo } from 'react'
import { type CodeFolders, fileHere } from '../../../src-main/domain/job/code-folders.ts'
import { readTraceback, type TracebackFrame } from '../../../src-main/domain/job/read-traceback.ts'
import { PlaceLink } from './PlaceLink.tsx'

/** The calls that led to an error. */
export type TracebackProps = {
  readonly traceback: string
  /** Type and message of the error, which are shown above. */
  readonly headline: string
  /** Where the files are on this machine; undefined: nobody knows. */
  readonly folders: CodeFolders | undefined
}

/** A traceback as a list of calls, the user's own ones marked; a press on a place opens it in the editor. */
export function Traceback({ traceback, headline, folders }: TracebackProps) {
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
        <PlaceLink file={file} line={line} here={here} />
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
