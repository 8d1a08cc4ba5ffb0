import clsx from 'clsx'
import type { ButtonProps } from './Button.tsx'
import { Tooltip } from './Tooltip.tsx'

/** A button of one picture; `label` is its name, shown on hover and read out. */
export type IconButtonProps = Omit<ButtonProps, 'kind' | 'aria-label'> & { readonly label: string }

/** A button of one picture. */
export function IconButton({ label, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        className={clsx(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-control text-ink-2',
          'hover:bg-surface-2 hover:text-ink disabled:opacity-50 data-[state=open]:bg-surface-2 [&_svg]:size-4',
          className,
        )}
      />
    </Tooltip>
  )
}
