import clsx from 'clsx'

/** Keeps the place of what is not there yet; seen after 300 ms. */
export function Skeleton({ className }: { readonly className: string }) {
  return <div aria-hidden className={clsx('waits-to-show rounded-control bg-surface-2', className)} />
}

/** Rows of a list that is not there yet. */
export function SkeletonRows({ rows }: { readonly rows: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-3">
      {Array.from({ length: rows }, (_row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <Skeleton key={at} className="h-6" />
      ))}
    </div>
  )
}
