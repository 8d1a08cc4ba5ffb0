import * as Switch from '@radix-ui/react-switch'
import clsx from 'clsx'
import { Search } from 'lucide-react'
import { type ComponentPropsWithRef, type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Said } from '../PageStates.tsx'

export type FieldProps = ComponentPropsWithRef<'input'> & {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | undefined
}

/** The browser's bubble would cover the hint, so the field says below that it is required. */
export function useMissingValue(label: string, value: unknown) {
  const [isMissing, setMissing] = useState(false)
  return {
    missing: isMissing && (value ?? '') === '' ? `${label} is required.` : undefined,
    handlers: {
      onInvalid: (event: FormEvent<HTMLInputElement>) => {
        const { currentTarget } = event
        if (!currentTarget.validity.valueMissing) return
        event.preventDefault()
        setMissing(true)
        // The browser focuses only fields whose bubble it shows.
        const fields = [...(currentTarget.form?.elements ?? [])]
        const first = fields.find((one) => one instanceof HTMLInputElement && !one.validity.valid)
        if (first === currentTarget) currentTarget.focus()
      },
      onInput: () => setMissing(false),
    },
  }
}

export function Field({ label, hint, problem, ...input }: FieldProps) {
  const { missing, handlers } = useMissingValue(label, input.value)
  return (
    <Labelled label={label} hint={hint} problem={problem ?? missing}>
      {(ids) => (
        <input
          {...input}
          {...ids}
          {...handlers}
          autoComplete="off"
          spellCheck={false}
          // The button of a file field stands within the border.
          className="h-7 rounded-control border border-line-strong bg-surface-1 px-2 file:-ml-2 file:mr-2 file:h-full file:rounded-none file:border-0 file:border-r file:border-line-strong file:bg-surface-2 file:px-2 aria-invalid:border-failed"
        />
      )}
    </Labelled>
  )
}

type LabelledProps = Pick<FieldProps, 'label' | 'hint' | 'problem'> & {
  readonly children: (ids: ControlIds) => ReactNode
}

export function Labelled({ label, hint, problem, children }: LabelledProps) {
  const id = useId()
  const said = problem ?? hint
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        ...(said !== undefined && { 'aria-describedby': `${id}-said` }),
      })}
      {said !== undefined && <FieldNote id={`${id}-said`} text={said} isProblem={problem !== undefined} />}
    </div>
  )
}

type FieldNoteProps = { readonly id: string; readonly text: string; readonly isProblem: boolean }

export function FieldNote({ id, text, isProblem }: FieldNoteProps) {
  return (
    <p id={id} className={clsx('text-small', isProblem ? 'text-failed-ink' : 'text-ink-2')}>
      <Said text={text} />
    </p>
  )
}

export const CONTROL =
  'rounded-control border border-line-strong bg-surface-1 px-2 placeholder:text-ink-2 aria-invalid:border-failed disabled:bg-surface-2 disabled:text-ink-2'

export type ControlIds = {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid': boolean
}

export type ControlProps<Value> = Partial<ControlIds> & {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly disabled?: boolean
}

type ToggleProps = Partial<ControlIds> & {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

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

export function Datalist({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
}

type SearchFieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
  const { key, currentTarget } = event
  if (key === 'Escape' && currentTarget.value === '') currentTarget.blur()
  if (key !== 'Enter' && key !== 'ArrowDown') return
  event.preventDefault()
  document.querySelector<HTMLElement>('[role="grid"], [role="log"], [data-card]')?.focus()
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <div className="relative w-56 max-w-full">
      <Search aria-hidden className="pointer-events-none absolute top-1.5 left-2 size-4 text-ink-2" />
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-7 w-full rounded-control border border-line-strong/60 bg-surface-1 pr-2 pl-8 placeholder:text-ink-2"
      />
    </div>
  )
}
