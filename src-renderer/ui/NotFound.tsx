import { Link } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { EmptyState } from './EmptyState.tsx'
import { Page } from './Page.tsx'

/** What is shown at an address that leads to nothing. `what` is missing: like `an endpoint hello`. */
export function NotFound({ what = 'a page at this address' }: { readonly what?: string }) {
  return (
    <Page crumbs={[{ name: 'Not found' }]}>
      <EmptyState
        action={
          <Link to={ADDRESS.endpoints} className="text-accent hover:underline">
            All endpoints
          </Link>
        }
      >
        There is no {what.replace(/^an? /, '')}. It may have been deleted.
      </EmptyState>
    </Page>
  )
}
