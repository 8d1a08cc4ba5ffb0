import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { loadCode } from '../../browser/load-code.ts'
import { NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { GalleryPages } from './gallery/GalleryPages.tsx'
import { LibraryPage } from './library/LibraryPage.tsx'
import { PublishedPages } from './PublishedPages.tsx'
import { SweepListPage } from './SweepListPage.tsx'
import { SweepPage } from './SweepPage.tsx'

// Loaded later, because the library does not need the canvas.
const EditorPage = lazy(async () => ({
  default: (await loadCode(() => import('../workflow-editor/EditorPage.tsx'))).EditorPage,
}))
const FormPage = lazy(async () => ({
  default: (await loadCode(() => import('../workflow-editor/publish/FormPage.tsx'))).FormPage,
}))

export function WorkflowPages() {
  return (
    <Suspense fallback={<SkeletonRows rows={8} />}>
      <Switch>
        <Route path={ADDRESS.workflows}>
          <LibraryPage />
        </Route>
        <Route path={`${ADDRESS.workflows}/edit/:workflowId`}>
          {({ workflowId }) => <EditorPage workflowId={decodeURIComponent(workflowId)} />}
        </Route>
        <Route path={`${ADDRESS.workflows}/gallery/*?`}>
          <GalleryPages />
        </Route>
        <Route path={`${ADDRESS.workflows}/edit/:workflowId/form`}>
          {({ workflowId }) => <FormPage workflowId={decodeURIComponent(workflowId)} />}
        </Route>
        <Route path={`${ADDRESS.publishedGraphs}/*?`}>
          <PublishedPages />
        </Route>
        <Route path={ADDRESS.sweeps}>
          <SweepListPage />
        </Route>
        <Route path={`${ADDRESS.sweeps}/:sweepId`}>
          {({ sweepId }) => <SweepPage sweepId={decodeURIComponent(sweepId)} />}
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  )
}
