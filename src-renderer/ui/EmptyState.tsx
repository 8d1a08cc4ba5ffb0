import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { useAsCalled } from './Typed.tsx'

/** What an empty page says: one sentence, one command, one button that does the first step. */
export type EmptyStateProps = {
  readonly icon?: ReactNode
  readonly children: ReactNode
  readonly command?: string
  readonly action?: ReactNode
}

/** Stands where there is nothing yet. */
export function EmptyState({ icon, children, command, action }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-16 text-center">
      {icon !== undefined && <div className="text-ink-2 [&_svg]:size-8 [&_svg]:stroke-[1.25]">{icon}</div>}
      <p className="text-ink-2">{children}</p>
      {command !== undefined && <CommandLine command={command} />}
      {action}
    </div>
  )
}

/** A command to be typed in a terminal, with a button that copies it. */
export function CommandLine({ command }: { readonly command: string }) {
  const typed = useAsCalled()(command)
  return (
    <div className="flex max-w-full items-center gap-1 rounded-control border border-line bg-surface-1 pl-3">
      <code className="truncate py-1.5 font-mono text-small">{typed}</code>
      <CopyButton text={typed} what="command" />
    </div>
  )
}
