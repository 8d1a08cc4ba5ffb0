import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { ComparePage } from './ComparePage.tsx'
import { GalleryPage } from './GalleryPage.tsx'
import { RunPage } from './RunPage.tsx'

/** The runs of graphs: all of them, each, and two beside each other. */
export function GalleryPages() {
  return (
    <Switch>
      <Route path={ADDRESS.gallery()}>
        <GalleryPage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/compare`}>
        <ComparePage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/:runId`}>{({ runId }) => <RunPage runId={decodeURIComponent(runId)} />}</Route>
    </Switch>
  )
}
