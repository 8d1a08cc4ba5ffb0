import { Select } from './Select.tsx'

/** One of some values, or any. */
export type PickOneProps = {
  readonly label: string
  /** Word for no choice. */
  readonly any: string
  readonly value: string | undefined
  readonly choices: readonly (readonly [value: string, word: string])[]
  readonly onChange: (value: string | undefined) => void
}

/** Picks one value of a list, or any; a value that is not in the list is shown all the same, so that it can be taken away. */
export function PickOne({ label, any, value, choices, onChange }: PickOneProps) {
  const isKnown = value === undefined || choices.some(([one]) => one === value)
  const all = isKnown ? choices : [[value, value] as const, ...choices]
  return (
    <Select
      aria-label={label}
      none={any}
      value={value ?? ''}
      choices={all.map(([one, word]) => ({ value: one, label: word }))}
      onChange={(next) => onChange(next === '' ? undefined : next)}
      className="max-w-48"
    />
  )
}
