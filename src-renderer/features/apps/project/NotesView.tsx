import clsx from 'clsx'
import { useEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'wouter'
import type { PreviewView } from '../../../../src-main/contract/projects.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { SearchField } from '../../../ui/form/Field.tsx'
import { exactTime } from '../../../ui/format.ts'
import { isAtEnd } from '../../../ui/output/LogView.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { endpointsOf, filterNotes, noteText } from './use-preview.ts'

type Note = PreviewView['notes'][number]

const ALL = 'All'
const CLOCK_FROM = 11
const CLOCK_TO = 19

const INKS: Readonly<Record<Note['kind'], string>> = {
  info: 'text-ink-2',
  live: 'text-completed',
  warning: 'text-warn-ink',
  error: 'text-failed-ink',
  log: 'text-ink',
}

export function NotesView({ notes }: { readonly notes: readonly Note[] }) {
  const [search, setSearch] = useSearchParams()
  const list = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const text = search.get('q') ?? ''
  const names = endpointsOf(notes)
  const endpoint = names.find((name) => name === search.get('endpoint'))
  const shown = useMemo(() => filterNotes(notes, { text, endpoint }), [notes, text, endpoint])
  // biome-ignore lint/correctness/useExhaustiveDependencies: stays at the newest line while lines come
  useEffect(() => {
    if (atEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [shown])
  const change = (q: string, of: string | undefined) =>
    setSearch({ ...(q === '' ? {} : { q }), ...(of === undefined ? {} : { endpoint: of }) }, { replace: true })
  const onScroll = () => {
    const element = list.current
    if (element === null) return
    atEnd.current = isAtEnd(element)
  }
  return (
    <div className="flex min-h-60 flex-1 flex-col rounded-control border border-line bg-surface-1">
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <SearchField label="Search the output" value={text} onChange={(q) => change(q, endpoint)} />
        {names.length > 0 && (
          <div className="max-w-full overflow-x-auto">
            <SegmentedChoice
              label="Lines of"
              choices={[ALL, ...names]}
              value={endpoint ?? ALL}
              onChange={(name) => change(text, name === ALL ? undefined : name)}
            />
          </div>
        )}
        <span className="ml-auto text-small text-ink-2">
          {shown.length < notes.length && `${shown.length} of `}
          {counted(notes.length, 'line')}
        </span>
      </div>
      <div
        ref={list}
        role="log"
        aria-label="Output of the preview"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-auto py-1 font-mono text-small"
      >
        {shown.map((note, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and are only added and cut off
          <NoteLine key={`${note.at} ${at}`} note={note} />
        ))}
      </div>
    </div>
  )
}

function NoteLine({ note }: { readonly note: Note }) {
  const { at, kind, endpoint } = note
  return (
    <div className={clsx('flex gap-3 px-3 hover:bg-surface-2', INKS[kind])}>
      <time className="shrink-0 text-ink-2">{exactTime(at).slice(CLOCK_FROM, CLOCK_TO)}</time>
      {endpoint !== undefined && <span className="w-28 shrink-0 truncate text-ink-2">{endpoint}</span>}
      <span className="min-w-0 break-words whitespace-pre-wrap">{noteText(note)}</span>
    </div>
  )
}
