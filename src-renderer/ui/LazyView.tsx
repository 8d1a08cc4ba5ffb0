import { type ComponentType, lazy, Suspense } from 'react'
import { Skeleton } from './PageStates.tsx'

export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const View = lazy(async () => ({ default: await load() }))
  return (props: Props) => (
    <Suspense fallback={<Skeleton className="min-h-40 flex-1" />}>
      <View {...(props as Props & { readonly key?: never })} />
    </Suspense>
  )
}
