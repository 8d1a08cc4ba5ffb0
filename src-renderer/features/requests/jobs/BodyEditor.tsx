import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { InputHints } from '../../../../src-main/contract/requests.ts'
import { parseExact } from '../../../../src-main/lib/json/plain.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeEditor } from '../../../ui/editor/LazyEditors.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { duration } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/PageStates.tsx'
import { bodyAround, type JobOption, lacksInput, optionCount, optionOf, readBody, withOption } from './job-draft.ts'

export type BodyEditorProps = {
  readonly text: string | undefined
  readonly problem: string | undefined
  readonly hints: InputHints['fields']
  readonly onChange: (text: string) => void
  readonly isLow: boolean
  readonly focuses: boolean
}

/** Body fields other than `input`. Source: docs/spec/job-api.md, 2. */
const BODY_FIELDS = [
  'input',
  'policy',
  'policy.executionTimeout',
  'policy.ttl',
  'policy.lowPriority',
  'webhook',
  'idempotencyKey',
  's3Config',
].map((path) => ({ path, values: path === 'policy.lowPriority' ? ['true', 'false'] : [] }))

export function BodyEditor({ text, problem, hints, onChange, isLow, focuses }: BodyEditorProps) {
  const fields = useMemo(
    () => [...BODY_FIELDS, ...hints.map(({ path, values }) => ({ path: `input.${path}`, values }))],
    [hints],
  )
  return (
    <Card title="Body" aside={text !== undefined && <CopyButton text={text} what="body" />} className="min-w-0">
      <div className={clsx('flex flex-col p-2', isLow ? 'h-48 xl:h-80' : 'h-80')}>
        {text === undefined ? (
          <Skeleton className="flex-1" />
        ) : (
          <CodeEditor label="Body of the request" value={text} onChange={onChange} fields={fields} focuses={focuses} />
        )}
      </div>
      {/* keeps its place, so that nothing jumps while typing */}
      <div role="status" className="flex min-h-8 items-center gap-2 px-3 text-small">
        {problem === undefined ? (
          <span className="text-ink-2">
            {hints.length === 0 ? 'Valid JSON.' : 'Valid JSON. Ctrl Space offers fields and values of recent inputs.'}
          </span>
        ) : (
          <span className="text-failed-ink">{problem}</span>
        )}
        {text !== undefined && lacksInput(text) && (
          <Button onClick={() => onChange(bodyAround(parseExact(text)))}>Put it into &quot;input&quot;</Button>
        )}
      </div>
      {text !== undefined && <JobOptions text={text} isValid={problem === undefined} onChange={onChange} />}
    </Card>
  )
}

type JobOptionsProps = {
  readonly text: string
  readonly isValid: boolean
  readonly onChange: (text: string) => void
}

const span = (from: number, to: number) => `ms, from ${duration(from)} to ${duration(to)}`

function JobOptions({ text, isValid, onChange }: JobOptionsProps) {
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
        <p className="px-3 pb-3 text-ink-2">These are fields of the body, which must be valid first.</p>
      )}
      {open && isValid && (
        <div className="grid gap-3 px-3 pb-3 sm:grid-cols-2">
          {field(
            'executionTimeout',
            'Execution timeout',
            span(limit('executionTimeoutMinMs'), limit('executionTimeoutMaxMs')),
            true,
          )}
          {field('ttl', 'Time to live', span(limit('ttlMinMs'), limit('ttlMaxMs')), true)}
          {field('webhook', 'Webhook', 'Receives the result by POST.')}
          {field('idempotencyKey', 'Idempotency key', 'A second request with the same key returns the same job.')}
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={optionOf(body, 'lowPriority') === true}
              onChange={({ target }) => set('lowPriority', target.checked ? true : undefined)}
              className="accent-accent"
            />
            Low priority: runs after all others, and no worker starts for it
          </label>
        </div>
      )}
    </div>
  )
}

// Invalid numbers are sent unchanged, and the service explains.
function writtenValue(text: string, isNumber: boolean): unknown {
  if (text === '') return undefined
  return isNumber && /^\d+$/.test(text) ? Number(text) : text
}
