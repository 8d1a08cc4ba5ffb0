import clsx from 'clsx'
import type { ComponentPropsWithRef } from 'react'

/** A button. `main` is the one that a page is about; a page has one. */
export type ButtonProps = ComponentPropsWithRef<'button'> & {
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger'
}

const KINDS = {
  main: 'bg-accent text-on-accent hover:bg-accent-strong font-medium',
  plain: 'border border-line-strong/60 bg-surface-1 hover:bg-surface-2',
  quiet: 'text-ink-2 hover:bg-surface-2 hover:text-ink',
  danger: 'border border-failed/60 bg-surface-1 text-failed-ink hover:bg-failed-soft font-medium',
} as const

/** A button with words. */
export function Button({ kind = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={clsx(
        'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-control px-2.5 whitespace-nowrap',
        'disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
        KINDS[kind],
        className,
      )}
    />
  )
}
