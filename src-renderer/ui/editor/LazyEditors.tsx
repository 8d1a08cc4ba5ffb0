import { lazy, Suspense } from 'react'
import { Skeleton } from '../PageStates.tsx'
import type { JsonEditorProps } from './JsonEditor.tsx'
import type { ProseViewProps } from './ProseView.tsx'

// The editor is as large as everything else together, and few pages have one.
const JsonEditor = lazy(() => import('./JsonEditor.tsx').then((loaded) => ({ default: loaded.JsonEditor })))

export function CodeEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <JsonEditor {...props} />
    </Suspense>
  )
}

const ProseView = lazy(() => import('./ProseView.tsx').then((loaded) => ({ default: loaded.ProseView })))

export function ProseEditor(props: ProseViewProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <ProseView {...props} />
    </Suspense>
  )
}
