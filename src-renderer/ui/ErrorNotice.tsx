import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { useAsCalled } from './Typed.tsx'

/** A fault, in the place where it is felt: what happened, why, what to do. */
export type ErrorNoticeProps = {
  readonly error: Error | string
  /** What the person can do here and now. */
  readonly action?: ReactNode
}

/** Tells a fault. */
export function ErrorNotice({ error, action }: ErrorNoticeProps) {
  const text = useAsCalled()(typeof error === 'string' ? error : error.message)
  return (
    <div role="alert" className="flex items-start gap-2 rounded-control bg-failed-soft py-2 pr-1 pl-3 text-failed-ink">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{text}</p>
      {action}
      <div className="-my-1">
        <CopyButton text={text} what="error" />
      </div>
    </div>
  )
}
