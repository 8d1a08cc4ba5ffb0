import { useState } from 'react'
import { CONTROL } from '../../../ui/form/control.ts'
import { MOST_RUNS } from './run-actions.ts'

/** How often a graph is run. */
export type CountFieldProps = { readonly value: number; readonly onChange: (count: number) => void }

/** A field for a number of runs: each has its own step of the seeds. */
export function CountField({ value, onChange }: CountFieldProps) {
  // What is typed may be no number yet.
  const [typed, setTyped] = useState<string>()
  const text = typed ?? String(value)
  const isWrong = !isCount(text)
  return (
    <label className="flex items-center gap-1.5 text-ink-2" title={`1 to ${MOST_RUNS}; each run has its own seeds`}>
      Runs
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST_RUNS}
        value={text}
        aria-invalid={isWrong}
        onChange={({ target }) => {
          setTyped(target.value)
          if (isCount(target.value)) onChange(Number(target.value))
        }}
        onBlur={() => setTyped(undefined)}
        className={`${CONTROL} h-7 w-14 text-ink`}
      />
    </label>
  )
}

const isCount = (text: string) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_RUNS
