import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** Something to know that stops nothing, and what can be done about it. */
export type WarningNoticeProps = { readonly children: ReactNode; readonly action?: ReactNode }

/** Tells something that stops nothing. */
export function WarningNotice({ children, action }: WarningNoticeProps) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 self-start mt-0.5" />
      <div className="min-w-0 flex-1 break-words whitespace-pre-wrap">{children}</div>
      {action}
    </div>
  )
}
