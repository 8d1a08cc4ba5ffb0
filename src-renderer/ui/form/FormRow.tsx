import clsx from 'clsx'
import { type ReactNode, useId } from 'react'
import { Said } from '../PageStates.tsx'
import type { ControlIds } from './Field.tsx'

export type FormRowProps = {
  readonly label: string
  readonly help: string
  readonly problem?: string | undefined
  readonly changed?: boolean
  readonly aside?: ReactNode
  readonly children: (ids: ControlIds) => ReactNode
}

export function FormRow({ label, help, problem, changed = false, aside, children }: FormRowProps) {
  const id = useId()
  const said = `${id}-said`
  return (
    <div
      className={clsx(
        'grid gap-x-6 gap-y-1.5 border-l-2 px-3 py-2.5 md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]',
        changed ? 'border-l-accent' : 'border-l-transparent',
      )}
    >
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <p id={said} className="max-w-prose text-small text-ink-2">
          <Said text={help} />
        </p>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        {children({
          id,
          'aria-describedby': problem === undefined ? said : `${id}-fault ${said}`,
          'aria-invalid': problem !== undefined,
        })}
        {problem !== undefined && (
          <p id={`${id}-fault`} className="text-small text-failed-ink">
            <Said text={problem} />
          </p>
        )}
        {aside}
      </div>
    </div>
  )
}
