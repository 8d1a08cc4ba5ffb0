import clsx from 'clsx'
import type { ReactNode } from 'react'

export type CardProps = {
  readonly title?: string
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export function Card({ title, aside, className, children }: CardProps) {
  return (
    <section className={clsx('flex min-w-0 flex-col rounded-control border border-line bg-surface-1', className)}>
      {title !== undefined && (
        <div className="flex min-h-9 items-center justify-between gap-2 border-b border-line px-3">
          <h2 className="font-medium">{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  )
}
