import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { limit } from '../../../src-main/contract/limits.ts'
import { type LogLine, logLine } from '../../../src-main/contract/management.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import { SearchField } from '../form/Field.tsx'
import { exactTime } from '../format.ts'
import { SegmentedChoice } from '../Tabs.tsx'
import { type AnsiColour, readAnsi } from './read-ansi.ts'

export type LogViewProps = {
  readonly lines: readonly LogLine[]
  readonly label: string
  readonly search?: string
}

const LINE_PX = 18
const LINES_AHEAD = 30
// px from the end that still count as the end.
const AT_END_PX = 24

export const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: Element): boolean =>
  scrollHeight - scrollTop - clientHeight < AT_END_PX

export function LogView({ lines, label, search = '' }: LogViewProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState<LogFilter>({ text: search, level: 'debug' })
  const [follows, setFollows] = useState(true)
  const shown = useMemo(() => filterLines(lines, filter), [lines, filter])
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: LINES_AHEAD,
  })
  const severalWrote = useMemo(() => lines.some(({ workerId }) => workerId !== lines[0]?.workerId), [lines])
  const toEnd = () => virtual.scrollToIndex(shown.length - 1, { align: 'end' })

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when lines come
  useEffect(() => {
    if (follows && shown.length > 0) toEnd()
  }, [shown.length, follows])

  function onScroll() {
    const element = scroller.current
    if (element === null) return
    setFollows(isAtEnd(element))
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col rounded-control border border-line bg-surface-1">
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <SearchField label="Search the log" value={filter.text} onChange={(text) => setFilter({ ...filter, text })} />
        <SegmentedChoice
          label="Lowest level"
          choices={LOG_LEVELS}
          value={filter.level}
          onChange={(level) => setFilter({ ...filter, level })}
        />
        <span className="ml-auto text-small text-ink-2">
          {shown.length < lines.length && `${shown.length} of `}
          {counted(lines.length, 'line')}
        </span>
      </div>
      <div
        ref={scroller}
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-auto font-mono text-small"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = shown[index]
            return (
              line && (
                <div
                  key={line.id}
                  ref={virtual.measureElement}
                  data-index={index}
                  className="absolute inset-x-0"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <LogRow line={line} search={filter.text} saysWorker={severalWrote} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!follows && (
        <Button className="absolute right-4 bottom-3 shadow-float" onClick={() => setFollows(true)}>
          Newest lines
        </Button>
      )}
    </div>
  )
}

type LogRowProps = { readonly line: LogLine; readonly search: string; readonly saysWorker: boolean }

const COLOURS: Readonly<Record<AnsiColour, string>> = {
  black: 'text-ink-2',
  red: 'text-failed-ink',
  green: 'text-completed',
  yellow: 'text-warn-ink',
  blue: 'text-running',
  magenta: 'text-retried',
  cyan: 'text-running',
  white: 'text-ink',
}

const LEVELS: Readonly<Record<LogLevel, string>> = {
  debug: 'text-ink-2',
  info: '',
  warning: 'bg-warn-soft text-warn-ink',
  error: 'bg-failed-soft text-failed-ink',
}

const LogRow = memo(function LogRow({ line, search, saysWorker }: LogRowProps) {
  return (
    <div className={clsx('flex gap-3 px-3 leading-[18px]', LEVELS[levelOf(line.level)])}>
      <span className="shrink-0 text-ink-2 select-none">{exactTime(line.at).slice(11)}</span>
      {saysWorker && (
        <span title={line.workerId} className="w-28 shrink-0 truncate text-ink-2 select-none">
          {line.workerId}
        </span>
      )}
      <span className="min-w-0 break-words whitespace-pre-wrap">
        {readAnsi(line.line).map(({ text, colour, bold }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change
          <span key={at} className={clsx(colour !== undefined && COLOURS[colour], bold && 'font-semibold')}>
            {marked(text, search)}
          </span>
        ))}
      </span>
    </div>
  )
})

function marked(text: string, search: string): ReactNode {
  if (search === '') return text
  const at = text.toLowerCase().indexOf(search.toLowerCase())
  if (at < 0) return text
  const end = at + search.length
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-[2px] bg-accent text-on-accent">{text.slice(at, end)}</mark>
      {marked(text.slice(end), search)}
    </>
  )
}

type LogFilter = {
  /** Text that a line contains, ignoring case; empty: all lines. */
  readonly text: string
  readonly level: LogLevel
}

const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const

type LogLevel = (typeof LOG_LEVELS)[number]

export function levelOf(word: string): LogLevel {
  const lower = word.toLowerCase()
  if (/^(err|fatal|crit|panic)/.test(lower)) return 'error'
  if (lower.startsWith('warn')) return 'warning'
  return /^(debug|trace)/.test(lower) ? 'debug' : 'info'
}

function filterLines(lines: readonly LogLine[], { text, level }: LogFilter): readonly LogLine[] {
  const least = LOG_LEVELS.indexOf(level)
  const wanted = text.toLowerCase()
  if (wanted === '' && least === 0) return lines
  return lines.filter(
    (one) => LOG_LEVELS.indexOf(levelOf(one.level)) >= least && one.line.toLowerCase().includes(wanted),
  )
}

type FollowedLogProps = {
  readonly of: 'endpoint' | 'worker' | 'job'
  readonly id: string
} & Omit<LogViewProps, 'lines'>

// As many lines as the service keeps per worker; for an endpoint the newest.
const MAX_LINES = limit('logLinesPerWorker')
const FIRST_LINES = 5000

const SOURCES = {
  endpoint: { operation: 'endpointLogs', parameter: 'endpointId' },
  worker: { operation: 'workerLogs', parameter: 'workerId' },
  job: { operation: 'jobLogs', parameter: 'jobId' },
} as const

export function FollowedLog({ of, id, ...view }: FollowedLogProps) {
  const { client } = useApp()
  const [lines, setLines] = useState<readonly LogLine[]>([])

  useEffect(() => {
    const { operation, parameter } = SOURCES[of]
    setLines([])
    return client.follow<LogLine>({
      operation,
      path: { [parameter]: id },
      query: (last) => (last === undefined ? { tail: FIRST_LINES } : { after: last.id }),
      event: 'line',
      schema: logLine,
      onItems: (items) => setLines((before) => [...before, ...items].slice(-MAX_LINES)),
    })
  }, [client, of, id])

  return <LogView lines={lines} {...view} />
}
