/** One of some values, or any. */
export type PickOneProps = {
  readonly label: string
  /** Word for no choice. */
  readonly any: string
  readonly value: string | undefined
  readonly choices: readonly (readonly [value: string, word: string])[]
  readonly onChange: (value: string | undefined) => void
}

/** Picks one value of a list, or any; a value that is not in the list is shown all the same. */
export function PickOne({ label, any, value, choices, onChange }: PickOneProps) {
  const isKnown = value === undefined || choices.some(([one]) => one === value)
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-7 max-w-44 truncate rounded-control border border-line-strong/60 bg-surface-1 px-1.5 hover:bg-surface-2"
    >
      <option value="">{any}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  )
}
