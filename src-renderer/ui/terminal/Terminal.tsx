import { lazy, Suspense } from 'react'
import { Skeleton } from '../PageStates.tsx'
import type { TerminalProps } from './XtermView.tsx'

// A terminal is large, and few people open one.
const XtermView = lazy(() => import('./XtermView.tsx').then((loaded) => ({ default: loaded.XtermView })))

/** A terminal, loaded when it is first shown. */
export function Terminal(props: TerminalProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <XtermView {...props} />
    </Suspense>
  )
}
