import clsx from 'clsx'
import { memo, type ReactNode } from 'react'
import type { LogLine } from '../../../src-main/contract/management.ts'
import { exactTime } from '../format.ts'
import { type LogLevel, levelOf } from './filter-lines.ts'
import { type AnsiColour, readAnsi } from './read-ansi.ts'

/** A line, with the text that is looked for. */
export type LogRowProps = { readonly line: LogLine; readonly search: string }

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

/** A line of a log: when, what. */
export const LogRow = memo(function LogRow({ line, search }: LogRowProps) {
  return (
    <div className={clsx('flex gap-3 px-3 leading-[18px]', LEVELS[levelOf(line.level)])}>
      <span className="shrink-0 text-ink-2 select-none">{exactTime(line.at).slice(11)}</span>
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
