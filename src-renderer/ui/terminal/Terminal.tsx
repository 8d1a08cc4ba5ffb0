import { lazy, Suspense } from 'react'
import { Skeleton } from '../PageStates.tsx'
import type { TerminalProps } from './XtermView.tsx'

// xterm is large, and few people open a terminal.
const XtermView = lazy(() => import('./XtermView.tsx').then((loaded) => ({ default: loaded.XtermView })))

export function Terminal(props: TerminalProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <XtermView {...props} />
    </Suspense>
  )
}
