import { lazy, Suspense } from 'react'
import { Skeleton } from '../PageStates.tsx'
import type { GraphProps } from './GraphView.tsx'

export type { GraphItem, GraphLink } from './GraphView.tsx'

// The renderer is as large as a page of everything else, and only one tab has a graph.
const GraphView = lazy(() => import('./GraphView.tsx').then((loaded) => ({ default: loaded.GraphView })))

export function Graph(props: GraphProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <GraphView {...props} />
    </Suspense>
  )
}
