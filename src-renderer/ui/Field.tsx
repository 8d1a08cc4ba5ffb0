import { type ComponentPropsWithRef, useId } from 'react'

/** A field with its name above and a hint below. */
export type FieldProps = ComponentPropsWithRef<'input'> & {
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong with what was typed. */
  readonly fault?: string | undefined
}

/** A field for one line of text. */
export function Field({ label, hint, fault, ...input }: FieldProps) {
  const id = useId()
  const said = fault ?? hint
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={said === undefined ? undefined : `${id}-said`}
        autoComplete="off"
        spellCheck={false}
        className="h-7 rounded-control border border-line-strong bg-surface-1 px-2 aria-invalid:border-failed"
      />
      {said !== undefined && (
        <p id={`${id}-said`} className={fault === undefined ? 'text-small text-ink-2' : 'text-small text-failed-ink'}>
          {said}
        </p>
      )}
    </div>
  )
}
