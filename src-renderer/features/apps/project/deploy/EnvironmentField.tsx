import { useId } from 'react'

/** Where to deploy to. */
export type EnvironmentFieldProps = {
  readonly value: string
  readonly existing: readonly string[]
  readonly onChange: (name: string) => void
  readonly fault: string | undefined
}

/** An environment: one of those that exist, or a new name. */
export function EnvironmentField({ value, existing, onChange, fault }: EnvironmentFieldProps) {
  const id = useId()
  const isNew = fault === undefined && !existing.includes(value)
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="font-medium">
        Environment
      </label>
      <input
        id={id}
        list={`${id}-existing`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-said`}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-44 rounded-control border border-line-strong bg-surface-1 px-2 aria-invalid:border-failed"
      />
      <datalist id={`${id}-existing`}>
        {existing.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span id={`${id}-said`} className={fault === undefined ? 'text-small text-ink-2' : 'text-small text-failed-ink'}>
        {fault ?? (isNew ? 'is made by the deploy' : '')}
      </span>
    </div>
  )
}
