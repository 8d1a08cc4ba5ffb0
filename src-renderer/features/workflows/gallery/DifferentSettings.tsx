import { useMemo } from 'react'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { counted } from '../../../ui/format.ts'
import { diffSettings } from '../../workflow-editor/run/diff-settings.ts'
import { allSettings } from '../../workflow-editor/run/read-settings.ts'
import { payloadOf } from '../../workflow-editor/run/run-queries.ts'

/** Where the settings of two runs differ. */
export function DifferentSettings({ a, b }: { readonly a: RunDetail; readonly b: RunDetail }) {
  const found = useMemo(() => diffSettings(allSettings(payloadOf(a)), allSettings(payloadOf(b))), [a, b])
  if (found.length === 0) return <p className="p-3 text-ink-2">They were made with the same settings.</p>
  return (
    <div className="overflow-x-auto">
      <table aria-label="Settings that differ" className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-ink-2 [&>th]:px-3 [&>th]:py-1.5 [&>th]:font-normal">
            <th scope="col" className="w-1/4">
              {counted(found.length, 'difference')}
            </th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ key, title, name, a: one, b: other }) => (
            <tr key={key} className="border-b border-line/60 align-top [&>*]:px-3 [&>*]:py-1.5">
              <th scope="row" className="text-left font-normal break-words">
                {name} <span className="text-small text-ink-2">{title}</span>
              </th>
              <Value text={one} />
              <Value text={other} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <td className="text-ink-2">not there</td>
  return (
    <td className="bg-warn-soft break-words whitespace-pre-wrap text-warn-ink tabular-nums">
      {text === '' ? 'empty' : text}
    </td>
  )
}
