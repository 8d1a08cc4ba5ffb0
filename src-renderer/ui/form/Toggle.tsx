import clsx from 'clsx'
import { Switch } from 'radix-ui'

/** A switch. */
export type ToggleProps = {
  readonly id?: string
  readonly 'aria-describedby'?: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

/** On or off, told by place, colour and word. */
export function Toggle({ checked, onChange, ...rest }: ToggleProps) {
  return (
    <span className="flex h-7 items-center gap-2">
      <Switch.Root
        {...rest}
        checked={checked}
        onCheckedChange={onChange}
        className={clsx(
          'relative h-4 w-7 shrink-0 rounded-full border disabled:opacity-50',
          checked ? 'border-accent bg-accent' : 'border-line-strong bg-surface-2',
        )}
      >
        <Switch.Thumb
          className={clsx(
            'block size-2.5 rounded-full transition-transform motion-reduce:transition-none',
            checked ? 'translate-x-3.5 bg-on-accent' : 'translate-x-0.5 bg-line-strong',
          )}
        />
      </Switch.Root>
      <span aria-hidden className="text-ink-2">
        {checked ? 'on' : 'off'}
      </span>
    </span>
  )
}
