import { Page } from '../../ui/Page.tsx'
import { JobsView } from './JobsView.tsx'

const CRUMBS = [{ name: 'Jobs' }]

/** All jobs. */
export function JobListPage() {
  return (
    <Page fills crumbs={CRUMBS}>
      <JobsView />
    </Page>
  )
}
