import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** Where a link leads, and its words. */
export type RunTextLinkProps = { readonly to: string; readonly children: ReactNode }

/** A link of words within a panel. */
export function RunTextLink({ to, children }: RunTextLinkProps) {
  return (
    <Link to={to} className="self-start text-accent hover:underline">
      {children}
    </Link>
  )
}
