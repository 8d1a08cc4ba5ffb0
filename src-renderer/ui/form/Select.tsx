import clsx from 'clsx'
import type { ComponentPropsWithRef } from 'react'
import { CONTROL } from './control.ts'

/** A choice of one of several. An empty value is the choice of none. */
export type SelectProps = Omit<ComponentPropsWithRef<'select'>, 'onChange'> & {
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  /** The name of no choice; without it one has to be chosen. */
  readonly none?: string
  readonly onChange: (value: string) => void
}

/** The select of the system, so that each reader and each phone knows it. */
export function Select({ choices, none, onChange, className, ...rest }: SelectProps) {
  return (
    <select
      {...rest}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(CONTROL, 'h-7 max-w-80 px-1.5', className)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
