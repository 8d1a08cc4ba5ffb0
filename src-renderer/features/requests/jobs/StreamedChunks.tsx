import { useState } from 'react'
import { counted } from '../../../ui/format.ts'
import { JsonTree } from '../../../ui/JsonTree.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'

/** What streams. */
export type StreamedChunksProps = { readonly chunks: readonly unknown[]; readonly ended: boolean }

const SHOWN = 200

/** The chunks of a stream as they come: texts as one text, other values one by one, the newest last. */
export function StreamedChunks({ chunks, ended }: StreamedChunksProps) {
  const [all, setAll] = useState(false)
  const [form, setForm] = useState<'Text' | 'Chunks'>('Text')
  if (chunks.length === 0)
    return (
      <p className="text-ink-2">
        {ended ? 'Nothing was streamed: the handler gives its output at once, and yields nothing.' : 'Nothing yet.'}
      </p>
    )
  const shown = all ? chunks : chunks.slice(-SHOWN)
  const canJoin = chunks.every((chunk) => typeof chunk === 'string')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2 text-small text-ink-2">
        {canJoin && (
          <SegmentedChoice label="Form of the stream" choices={['Text', 'Chunks']} value={form} onChange={setForm} />
        )}
        {counted(chunks.length, 'chunk')}
        {shown.length < chunks.length && (
          <button type="button" onClick={() => setAll(true)} className="text-accent hover:underline">
            Show those before the last {SHOWN}
          </button>
        )}
      </div>
      {canJoin && form === 'Text' ? (
        <p className="break-words whitespace-pre-wrap">{shown.join('')}</p>
      ) : (
        <ol className="flex min-w-0 flex-col gap-1" start={chunks.length - shown.length + 1}>
          {shown.map((chunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: chunks come at the end and never move
            <li key={chunks.length - shown.length + at} className="min-w-0 border-l border-line pl-2">
              <JsonTree value={chunk} open={1} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
