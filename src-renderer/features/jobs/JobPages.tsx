import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { NotFound } from '../../ui/NotFound.tsx'
import { ComparePage } from './compare/ComparePage.tsx'
import { JobListPage } from './JobListPage.tsx'
import { JobPage } from './page/JobPage.tsx'

/** The pages of jobs: the list, each job, and two of them beside each other. */
export function JobPages() {
  return (
    <Switch>
      <Route path={ADDRESS.jobs}>
        <JobListPage />
      </Route>
      <Route path={`${ADDRESS.jobs}/compare`}>
        <ComparePage />
      </Route>
      <Route path={`${ADDRESS.jobs}/:jobId`}>{({ jobId }) => <JobPage jobId={decodeURIComponent(jobId)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
