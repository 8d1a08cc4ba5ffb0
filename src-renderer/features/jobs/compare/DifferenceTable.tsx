import clsx from 'clsx'
import { useMemo } from 'react'
import { writeExact } from '../../../../src-main/domain/json/exact-json.ts'
import { counted } from '../../../ui/format.ts'
import { type Difference, diffJson } from './diff-json.ts'

/** Two values. */
export type DifferenceTableProps = {
  readonly label: string
  readonly a: unknown
  readonly b: unknown
}

// A picture in base64 is no text to be compared by eye; it is shown as a picture beside.
const LONG = 300

const SIGNS: Readonly<Record<Difference['kind'], string>> = { changed: '≠', 'only in a': '−', 'only in b': '+' }

/** Where two values differ, path by path. */
export function DifferenceTable({ label, a, b }: DifferenceTableProps) {
  const { found, more } = useMemo(() => diffJson(a, b), [a, b])
  if (found.length === 0) return <p className="p-3 text-ink-2">No difference.</p>
  return (
    <div className="overflow-x-auto">
      <table aria-label={`Differences of ${label}`} className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-ink-2 [&>th]:px-3 [&>th]:py-1.5 [&>th]:font-normal">
            <th scope="col" className="w-1/4">
              {more ? 'The first ' : ''}
              {counted(found.length, 'difference')}
            </th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <tr
              key={one.path}
              className="border-b border-line/60 align-top font-mono text-small [&>*]:px-3 [&>*]:py-1.5"
            >
              <th scope="row" className="text-left font-normal break-all">
                <span role="img" aria-label={one.kind} className="mr-2 inline-block w-3 text-ink-2">
                  {SIGNS[one.kind]}
                </span>
                {one.path === '' ? 'all of it' : one.path}
              </th>
              <Cell value={one.a} isOther={one.kind === 'only in b'} />
              <Cell value={one.b} isOther={one.kind === 'only in a'} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ value, isOther }: { readonly value: unknown; readonly isOther: boolean }) {
  const text = value === undefined ? '' : writeExact(value)
  return (
    <td className={clsx('break-all whitespace-pre-wrap', isOther ? 'text-ink-2' : 'bg-warn-soft text-warn-ink')}>
      {isOther ? 'not there' : text.slice(0, LONG)}
      {text.length > LONG && `… ${text.length.toLocaleString('en')} characters`}
    </td>
  )
}
