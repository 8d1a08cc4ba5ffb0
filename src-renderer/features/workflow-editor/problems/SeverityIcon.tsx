import clsx from 'clsx'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { Problem } from '../../../../src-main/domain/workflow/problem.ts'

/** How bad a problem is. */
export type SeverityIconProps = { readonly severity: Problem['severity']; readonly className?: string }

/** The sign of a problem, with its word for who does not see it. */
export function SeverityIcon({ severity, className }: SeverityIconProps) {
  return severity === 'error' ? (
    <CircleAlert aria-label="Error" className={clsx('shrink-0 text-failed', className)} />
  ) : (
    <TriangleAlert aria-label="Warning" className={clsx('shrink-0 text-warn-ink', className)} />
  )
}
