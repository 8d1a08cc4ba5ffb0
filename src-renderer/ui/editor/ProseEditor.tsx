import { lazy, Suspense } from 'react'
import { Skeleton } from '../Skeleton.tsx'
import type { ProseViewProps } from './ProseView.tsx'

const ProseView = lazy(() => import('./ProseView.tsx').then((loaded) => ({ default: loaded.ProseView })))

/** An editor of prose, loaded when it is first shown. */
export function ProseEditor(props: ProseViewProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <ProseView {...props} />
    </Suspense>
  )
}
