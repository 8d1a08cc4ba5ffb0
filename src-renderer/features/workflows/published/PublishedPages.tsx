import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { PublishedListPage } from './PublishedListPage.tsx'
import { PublishedPage } from './PublishedPage.tsx'

/** The pages of published graphs. */
export function PublishedPages() {
  return (
    <Switch>
      <Route path={ADDRESS.publishedGraphs}>
        <PublishedListPage />
      </Route>
      <Route path={`${ADDRESS.publishedGraphs}/:graphId`}>
        {({ graphId }) => <PublishedPage graphId={decodeURIComponent(graphId)} />}
      </Route>
    </Switch>
  )
}
