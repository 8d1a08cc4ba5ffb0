import { type ReactNode, useId } from 'react'
import type { ControlIds } from './control.ts'

/** A control with its name above and a hint below. */
export type LabelledProps = {
  readonly label: string
  readonly hint: string
  readonly fault?: string | undefined
  readonly children: (ids: ControlIds) => ReactNode
}

/** As a field, for any control. */
export function Labelled({ label, hint, fault, children }: LabelledProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-said`, 'aria-invalid': fault !== undefined })}
      <p id={`${id}-said`} className={fault === undefined ? 'text-small text-ink-2' : 'text-small text-failed-ink'}>
        {fault ?? hint}
      </p>
    </div>
  )
}
