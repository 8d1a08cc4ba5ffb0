import clsx from 'clsx'
import { FileDiff } from 'lucide-react'
import type { DeployPlan, SourceFile } from '../../../src-main/contract/app.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { Scrolling } from '../../ui/Scrolling.tsx'

export function SourceChanges({ source: { files, more } }: { readonly source: NonNullable<DeployPlan['source']> }) {
  return (
    <section aria-label="Source changes" className="flex flex-col gap-1 border-t border-line p-3">
      <h3 className="flex items-center gap-1.5 font-medium">
        <FileDiff aria-hidden className="size-4" />
        {files.length === 0 ? 'No source files changed' : `${counted(files.length + more, 'file')} changed`}
      </h3>
      <ul className="flex flex-col gap-1">
        {files.map((file) => (
          <li key={file.path}>
            <ChangedFile file={file} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-ink-2">and {counted(more, 'file')} more</p>}
    </section>
  )
}

const WORDS = {
  added: { word: 'Added', colour: 'text-completed' },
  changed: { word: 'Changed', colour: 'text-running' },
  removed: { word: 'Removed', colour: 'text-failed-ink' },
} as const satisfies Record<SourceFile['change'], unknown>
const NO_DIFF = { binary: 'binary file', large: 'too large to compare here' } as const

function ChangedFile({ file: { path, change, diff, noDiff } }: { readonly file: SourceFile }) {
  const { word, colour } = WORDS[change]
  const head = (
    <>
      <span className={clsx('inline-block w-18 text-small', colour)}>{word}</span>
      <span className="font-mono text-small break-all">{path}</span>
    </>
  )
  if (diff === undefined || diff.length === 0)
    return (
      <p>
        {head}
        {noDiff !== undefined && <span className="text-small text-ink-2"> ({NO_DIFF[noDiff]})</span>}
      </p>
    )
  return (
    <details open={change === 'changed'}>
      <summary className="cursor-pointer">{head}</summary>
      <Scrolling
        label={`Changes in ${path}`}
        className="mt-1 max-h-96 overflow-auto rounded-control border border-line bg-surface-1 py-1 font-mono text-small"
      >
        {diff.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff keep their places
          <div key={at} className={clsx('px-3 whitespace-pre', lineColour(line))}>
            {line}
          </div>
        ))}
      </Scrolling>
    </details>
  )
}

function lineColour(line: string): string {
  if (line.startsWith('+')) return 'bg-completed/10'
  if (line.startsWith('-')) return 'bg-failed/10'
  return line.startsWith(' ') ? '' : 'text-ink-2'
}
