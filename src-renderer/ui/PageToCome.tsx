import { SquareTerminal } from 'lucide-react'
import { EmptyState } from './EmptyState.tsx'
import { Page } from './Page.tsx'

/** A page that is not there yet: what it will show, and the command that shows it today. */
export type PageToComeProps = { readonly name: string; readonly what: string; readonly command: string }

/** Stands at the address of a page that is not there yet. */
export function PageToCome({ name, what, command }: PageToComeProps) {
  return (
    <Page crumbs={[{ name }]}>
      <EmptyState icon={<SquareTerminal />} command={command}>
        {what} have no page yet. This command shows them:
      </EmptyState>
    </Page>
  )
}
