import clsx from 'clsx'
import { CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { CopyButton } from '../../../ui/Button.tsx'

type Problem = ProjectDetail['problems'][number]

export type ProblemListProps = {
  readonly label: string
  readonly problems: readonly Problem[]
  readonly kind: 'problem' | 'warning'
}

// A long list would push its subject out of view.
const SHOWN_AT_ONCE = 4

export function ProblemList({ label, problems, kind }: ProblemListProps) {
  const [all, setAll] = useState(false)
  if (problems.length === 0) return null
  const Icon = kind === 'problem' ? CircleX : TriangleAlert
  const shown = all ? problems : problems.slice(0, SHOWN_AT_ONCE)
  return (
    <div
      className={clsx(
        'flex flex-col gap-1.5 rounded-control px-3 py-2',
        kind === 'problem' ? 'bg-failed-soft text-failed-ink' : 'bg-warn-soft text-warn-ink',
      )}
    >
      <ul aria-label={label} className="flex flex-col gap-1.5">
        {shown.map((problem) => (
          <li
            key={`${problem.code} ${positionOf(problem)} ${problem.message}`}
            className="flex items-start gap-2 [&_button]:-my-1"
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            <div className="min-w-0 flex-1">
              {problem.file !== undefined && <SourcePosition position={positionOf(problem) ?? problem.file} />}
              <p className="break-words whitespace-pre-wrap">{problem.message}</p>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < problems.length && (
        <button type="button" onClick={() => setAll(true)} className="self-start pl-6 underline">
          {problems.length - shown.length} more
        </button>
      )}
    </div>
  )
}

export function SourcePosition({ position }: { readonly position: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate font-mono text-small font-medium">{position}</code>
      <CopyButton text={position} what="place" />
    </span>
  )
}

function positionOf({ file, line }: Pick<Problem, 'file' | 'line'>): string | undefined {
  return file === undefined || line === undefined ? file : `${file}:${line}`
}
