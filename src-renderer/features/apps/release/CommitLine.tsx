import clsx from 'clsx'
import { GitCommitHorizontal } from 'lucide-react'
import type { GitState } from '../../../../src-main/contract/app.ts'
import { CopyButton } from '../../../ui/CopyButton.tsx'

/** The commit of some code. `label`: what code it is. */
export type CommitLineProps = { readonly git: GitState; readonly label?: string; readonly className?: string }

const SHORT = 8

/** The commit that code was built from, and whether more than the commit went into it. */
export function CommitLine({ git: { commit, branch, message, clean }, label, className }: CommitLineProps) {
  return (
    <p className={clsx('flex min-w-0 items-center gap-1.5 text-small text-ink-2', className)}>
      <GitCommitHorizontal aria-hidden className="size-4 shrink-0" />
      {label !== undefined && <span className="shrink-0">{label}</span>}
      {branch !== undefined && <span className="max-w-48 shrink-0 truncate font-medium">{branch}</span>}
      <code className="font-mono">{commit.slice(0, SHORT)}</code>
      <CopyButton text={commit} what={`commit ${commit.slice(0, SHORT)}`} />
      <span className="min-w-0 truncate" title={message}>
        {message}
      </span>
      {!clean && <span className="shrink-0 whitespace-nowrap text-ink">with changes that are not committed</span>}
    </p>
  )
}
