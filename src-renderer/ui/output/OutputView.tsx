import { useMemo, useState } from 'react'
import { writeExact } from '../../../src-main/domain/json/exact-json.ts'
import { CopyButton } from '../CopyButton.tsx'
import { JsonTree } from '../JsonTree.tsx'
import { SegmentedChoice } from '../SegmentedChoice.tsx'
import { findParts } from './find-parts.ts'
import { findTable } from './find-table.ts'
import { OutputPartView } from './OutputPartView.tsx'
import { RawOutput } from './RawOutput.tsx'
import { TableOf } from './TableOf.tsx'

/** What a worker has given. */
export type OutputViewProps = {
  readonly value: unknown
  /** Its name, as in `Output of job x`; `Output` without it. */
  readonly label?: string
}

type Form = 'Rendered' | 'Raw'

/** A value of any kind: pictures, sound, texts and tables are shown as such, the rest as a tree; or all of it as JSON. */
export function OutputView({ value, label = 'Output' }: OutputViewProps) {
  const [form, setForm] = useState<Form>('Rendered')
  const raw = useMemo(() => (value === undefined ? '' : writeExact(value, 2)), [value])
  if (value === undefined) return <p className="text-ink-2">No output.</p>
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <SegmentedChoice label={`Form of ${label}`} choices={['Rendered', 'Raw']} value={form} onChange={setForm} />
        <CopyButton text={typeof value === 'string' && form === 'Rendered' ? value : raw} what={label.toLowerCase()} />
      </div>
      {form === 'Raw' ? <RawOutput text={raw} label={label} /> : <Rendered value={value} />}
    </section>
  )
}

function Rendered({ value }: { readonly value: unknown }) {
  const parts = useMemo(() => findParts(value), [value])
  const table = useMemo(() => findTable(value), [value])
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {parts.map((part) => (
        <OutputPartView key={part.path} part={part} />
      ))}
      {table !== undefined && <TableOf found={table} />}
      {typeof value !== 'string' && <JsonTree value={value} />}
    </div>
  )
}
