import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { LIMITS } from '../../../../src-main/contract/limits.ts'
import { Field } from '../../../ui/Field.tsx'
import { duration } from '../../../ui/format.ts'
import { type JobOption, optionCount, optionOf, readBody, withOption } from './body-text.ts'

/** Options of a job. They are fields of its body, and the body is where they are kept. */
export type JobOptionsProps = {
  readonly text: string
  readonly isValid: boolean
  readonly onChange: (text: string) => void
}

const span = (from: number, to: number) => `ms, from ${duration(from)} to ${duration(to)}`

/** The options, folded until they are wanted. */
export function JobOptions({ text, isValid, onChange }: JobOptionsProps) {
  const [open, setOpen] = useState(false)
  const read = readBody(text)
  const body = read.ok ? read.value : {}
  const count = optionCount(body)
  const set = (option: JobOption, value: unknown) => onChange(withOption(text, option, value))
  const textOf = (option: JobOption) => String(optionOf(body, option) ?? '')
  const field = (option: JobOption, label: string, hint: string, isNumber = false) => (
    <Field
      label={label}
      hint={hint}
      value={textOf(option)}
      inputMode={isNumber ? 'numeric' : undefined}
      onChange={({ target }) => set(option, writtenValue(target.value, isNumber))}
    />
  )
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-1 px-2 hover:bg-surface-2"
      >
        <ChevronRight aria-hidden className={open ? 'size-4 rotate-90' : 'size-4'} />
        Options{count > 0 && <span className="text-ink-2"> · {count} set</span>}
      </button>
      {open && !isValid && (
        <p className="px-3 pb-3 text-ink-2">They are fields of the body, which has to be valid first.</p>
      )}
      {open && isValid && (
        <div className="grid gap-3 px-3 pb-3 sm:grid-cols-2">
          {field(
            'executionTimeout',
            'Execution timeout',
            span(LIMITS.executionTimeoutMinMs.value, LIMITS.executionTimeoutMaxMs.value),
            true,
          )}
          {field('ttl', 'Time to live', span(LIMITS.ttlMinMs.value, LIMITS.ttlMaxMs.value), true)}
          {field('webhook', 'Webhook', 'Gets the result by POST.')}
          {field('idempotencyKey', 'Idempotency key', 'A second request with it gives the same job.')}
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={optionOf(body, 'lowPriority') === true}
              onChange={({ target }) => set('lowPriority', target.checked ? true : undefined)}
              className="accent-accent"
            />
            Low priority: after all others, and no worker starts for it
          </label>
        </div>
      )}
    </div>
  )
}

// What is no number goes as it is: the service says what it wants there.
function writtenValue(text: string, isNumber: boolean): unknown {
  if (text === '') return undefined
  return isNumber && /^\d+$/.test(text) ? Number(text) : text
}
