import { useMemo, useState } from 'react'
import { writeExact } from '../../../../src-main/domain/json/exact-json.ts'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import type { Chunk } from './use-chunks.ts'

/** The beginning of a stream. */
export type ChunkListProps = { readonly chunks: readonly Chunk[]; readonly count: number }

// The end of what has come is what is looked at; more than this in one element makes the window stutter.
const SHOWN_CHUNKS = 200
const SHOWN_LETTERS = 50_000

/** What has come so far: texts as one text, other values one a line. */
export function ChunkList({ chunks, count }: ChunkListProps) {
  const canJoin = useMemo(() => chunks.every(({ output }) => typeof output === 'string'), [chunks])
  const [form, setForm] = useState<'Text' | 'Chunks'>('Text')
  const isText = canJoin && form === 'Text'
  const text = useMemo(() => {
    const come = chunks.slice(0, count)
    if (isText) return come.map(({ output }) => String(output)).join('')
    return come
      .slice(-SHOWN_CHUNKS)
      .map(({ output }) => writeExact(output))
      .join('\n')
  }, [chunks, count, isText])
  const left = isText ? Math.max(0, text.length - SHOWN_LETTERS) : Math.max(0, count - SHOWN_CHUNKS)
  return (
    <div className="relative">
      <div className="absolute top-1 right-2 flex items-center gap-1">
        {canJoin && (
          <SegmentedChoice label="Form of the stream" choices={['Text', 'Chunks']} value={form} onChange={setForm} />
        )}
        <CopyButton text={text} what="stream" />
      </div>
      <section
        aria-label="Stream"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="h-80 overflow-auto p-3 pt-10 font-mono text-small break-words whitespace-pre-wrap"
      >
        {left > 0 && (
          <p className="mb-2 text-ink-2">
            {left.toLocaleString('en')} {isText ? 'letters' : 'pieces'} before this are left out.
          </p>
        )}
        {isText ? text.slice(-SHOWN_LETTERS) : text}
      </section>
    </div>
  )
}
