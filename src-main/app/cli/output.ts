import { stripVTControlCharacters, styleText } from 'node:util'
import type { JobState } from '../../contract/job.ts'
import { isTimedOut } from '../../features/jobs/rules/time-limit.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { asCalledBy, commandOf, durationText, momentText, sizeText } from '../../lib/text.ts'
import { type Caller, calledAs } from '../headless/called-as.ts'
import type { Surroundings } from './surroundings.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'blue' | 'gray' | 'bold'

export type Output = ReturnType<typeof createOutput>

export function createOutput(surroundings: Surroundings, json: boolean, data?: string) {
  const { stdout, stderr, env } = surroundings
  const colours = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint = (colour: Colour, text: string) =>
    colours && text !== '' ? styleText(colour, plainText(text), { validateStream: false }) : text
  const clean = colours ? exceptColours : plainText
  const line = (text = '') => void stdout.write(`${clean(text)}\n`)
  let command: string | undefined
  function called(text: string): string {
    // Looks into the folders of PATH, so once for all lines.
    command ??= commandOf(calledAs(surroundings), data)
    return asCalledBy(text, command)
  }

  const document = (value: unknown) => void stdout.write(`${escaped(writeExact(value) ?? '')}\n`)

  function table(head: readonly string[], given: readonly (readonly string[])[]): void {
    const rows = given.map((row) => row.map((cell) => clean(cell.replace(LINE_BREAKS, ' '))))
    const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => width(row[column] ?? ''))))
    line(paint('bold', aligned(head, widths)))
    for (const row of rows) line(aligned(row, widths))
  }

  return {
    json,
    piped: stdout.isTTY !== true,
    line,
    paint,
    document,
    result(value: unknown, shown: string | (() => void)) {
      if (json) document(value)
      else if (typeof shown === 'string') line(shown)
      else shown()
    },
    /** A document for machines; for people a table, or a hint where it has no rows. */
    list(value: unknown, none: string, head: readonly string[], rows: readonly (readonly string[])[]) {
      if (json) document(value)
      else if (rows.length === 0) line(called(none))
      else table(head, rows)
    },
    table,
    /** Prints to stderr; commands in it appear as the user calls them. */
    note: (text: string) => void stderr.write(`${clean(called(text))}\n`),
    hint: (text: string) => line(called(text)),
    asCalled: called,
    fields(entries: readonly (readonly [name: string, value: string | undefined])[]) {
      const shown = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)
      const widest = Math.max(0, ...shown.map(([name]) => name.length))
      for (const [name, value] of shown) {
        line(`${paint('gray', name.padEnd(widest))}  ${value.replaceAll('\n', `\n${' '.repeat(widest + 2)}`)}`)
      }
    },
  }
}

const STATE_COLOURS = {
  IN_QUEUE: 'gray',
  IN_PROGRESS: 'blue',
  COMPLETED: 'green',
  FAILED: 'red',
  CANCELLED: 'gray',
  TIMED_OUT: 'yellow',
} as const satisfies Record<JobState, Colour>

/**
 * The word is always there, so colour is not alone.
 * @param job.error tells whether a time limit stopped it
 */
export function stateText(output: Output, { status, error }: Parameters<typeof isTimedOut>[0]): string {
  const stopped = isTimedOut({ status, error })
  const text = stopped && status !== 'TIMED_OUT' ? `${status}, timed out` : status
  return output.paint(STATE_COLOURS[stopped ? 'TIMED_OUT' : status], text)
}

export function timeText(at: number): string {
  return momentText(at).slice(0, -'.000'.length)
}

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (writeExact(value) ?? '')
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) =>
      column === cells.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - width(cell)),
    )
    .join('  ')
    .trimEnd()
}

function width(text: string): number {
  return stripVTControlCharacters(text).length
}

/**
 * Writes commands as the user can type them.
 * @param text with commands like `drydock deploy`
 * @param data folder of `--data`
 */
export function asCalled(text: string, caller: Caller, data?: string): string {
  return asCalledBy(text, commandOf(calledAs(caller), data))
}

const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
// Characters that move the cursor, set the clipboard or reorder text; newlines and tabs stay.
const UNSAFE = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]'
const UNSAFE_TEXT = new RegExp(UNSAFE, 'g')
const UNSAFE_BUT_COLOURS = new RegExp(`(\\u001b\\[(?:1|22|3[1-4]|39|90)m)|${UNSAFE}`, 'g')

export function plainText(text: string): string {
  return text.replace(UNSAFE_TEXT, '')
}

export function exceptColours(text: string): string {
  return text.replace(UNSAFE_BUT_COLOURS, (_unsafe, colour: string | undefined) => colour ?? '')
}

/** Escapes the same characters in JSON, which leaves some raw but allows escapes. */
export function escaped(json: string): string {
  return json.replace(UNSAFE_TEXT, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export const duration = durationText

export const size = sizeText
