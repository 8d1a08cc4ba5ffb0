import { lazy, Suspense } from 'react'
import { Skeleton } from '../Skeleton.tsx'
import type { JsonEditorProps } from './JsonEditor.tsx'

// The editor is as large as all else together, and few pages have one.
const JsonEditor = lazy(() => import('./JsonEditor.tsx').then((loaded) => ({ default: loaded.JsonEditor })))

/** An editor of JSON, loaded when it is first shown. */
export function CodeEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <JsonEditor {...props} />
    </Suspense>
  )
}
