import { InvalidArgumentError } from 'commander'
import { readSpan, splitWords } from '../../lib/text.ts'

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function integer(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function decimal(text: string): number {
  if (!/^\d{1,12}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

/**
 * Reads a duration like `2s`, `500ms`, `1.5min`, `6h` or `1d`, in ms.
 * @param unit of a number alone
 */
export const spanIn =
  (unit: 'ms' | 's') =>
  (text: string): number => {
    const span = readSpan(text, unit)
    if (span === undefined) throw new InvalidArgumentError('It must be a duration, like 500ms, 30s, 15min or 2h.')
    return span
  }

/** Parses a span before `now` like `2h`, or a local date with optional time, to ms since the epoch. */
export function timeOrSpanAgo(text: string, now: number): number {
  const span = readSpan(text)
  if (span !== undefined) return now - span
  // A date without a time would be read as UTC.
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (!/^\d{4}-/.test(text) || Number.isNaN(time) || time < 0)
    throw new InvalidArgumentError('It must be a duration like 30min, 2h or 7d, or a time like 2026-11-03T14:00.')
  return time
}

const UNITS = ['', 'k', 'm', 'g', 't']

/** A size like `2g` or `512m`, in bytes; units are powers of 1024, as in the docker command. */
export function sizeInBytes(text: string): number {
  const [, number, unit = ''] = /^(\d{1,12}(?:\.\d+)?)([kmgt]?)(?:i?b)?$/i.exec(text) ?? []
  if (number === undefined) throw new InvalidArgumentError('It must be a size, like 512m or 2g.')
  return Math.round(Number(number) * 1024 ** UNITS.indexOf(unit.toLowerCase()))
}

export function oneOf<const Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`)
  return found
}

export function wordsOf(line: string): readonly string[] {
  const words = splitWords(line)
  if (words === undefined) throw new InvalidArgumentError('A quotation mark is not closed.')
  return words
}
