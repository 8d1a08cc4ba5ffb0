import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts'

/**
 * Two units or digits: `320 ms`, `1.4 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`.
 * @param ms at least 0
 */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 59.5) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
  return ofUnits(Math.round(seconds))
}

function ofUnits(seconds: number): string {
  if (seconds < 3600) return pair(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`

const SPAN_UNITS = { d: DAY_MS, h: HOUR_MS, min: MINUTE_MS, s: SECOND_MS, ms: 1 } as const
const SPAN_PART = /(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|min|m|h|d)\s*/g

/**
 * Reads a span as people type it: `30s`, `15min`, `1.5 h`, `1h 30m`, in ms; undefined if it is not one.
 * @param unit of a number alone; without it such a text is no span
 */
export function readSpan(text: string, unit?: keyof typeof SPAN_UNITS): number | undefined {
  const typed = unit !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? `${text.trim()}${unit}` : text.trim()
  if (typed === '' || typed.replace(SPAN_PART, '') !== '') return undefined
  const parts = [...typed.matchAll(SPAN_PART)]
  const sum = parts.reduce((ms, [, number, of = '']) => ms + Number(number) * SPAN_UNITS[unitOf(of)], 0)
  return Math.round(sum)
}

const unitOf = (text: string) => (text === 'm' ? 'min' : (text as keyof typeof SPAN_UNITS))

/** A value that is a sentence keeps its full stop instead of that of the text. */
export function filled(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}(\.?)/g, (_match, name: string, stop: string) => {
    const value = String(values[name] ?? '')
    return /[.!?]$/.test(value) ? value : `${value}${stop}`
  })
}

/** A span that a person has set, exactly: `30 s`, `1 h 30 min`, `1.2 s`, `500 ms`. @param ms a whole number above 0 */
export function exactSpan(ms: number): string {
  if (ms < SECOND_MS) return `${ms} ms`
  let left = ms
  const parts = (['d', 'h', 'min'] as const).flatMap((unit) => {
    const count = Math.floor(left / SPAN_UNITS[unit])
    left -= count * SPAN_UNITS[unit]
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return [...parts, ...(left === 0 ? [] : [`${left / SECOND_MS} s`])].join(' ')
}

/**
 * In the reader's time zone: `2026-11-24 14:03:07.120`.
 * @param at ms since the epoch
 */
export function momentText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().replace('T', ' ').replace('Z', '')
}

/** `just now`, `14 s ago`, `5 min ago`; the future reads `in 14 s`. Both in ms since the epoch. */
export function ago(at: number, now: number): string {
  const ms = now - at
  if (Math.abs(ms) < SECOND_MS) return 'just now'
  // For old spans the smaller unit is useless and would change constantly.
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d ago`
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h ago`
  if (ms >= MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`
  const whole = Math.max(SECOND_MS, Math.floor(Math.abs(ms) / SECOND_MS) * SECOND_MS)
  const span = durationText(whole).replace(/\.0 s$/, ' s')
  return ms < 0 ? `in ${span}` : `${span} ago`
}

export const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export function withFullStop(text: string): string {
  let end = text.length
  // A loop, because a pattern would rescan from each stop.
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end -= 1
  return `${text.slice(0, end)}.`
}

export function keepStart(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

const CUT = ' … '

/**
 * Cuts the middle, as errors start with their kind and end with their cause.
 * @param mark replaces the missing part
 */
export function keepEnds(text: string, most: number, mark = CUT): string {
  if (text.length <= most) return text
  const kept = Math.max(0, most - mark.length)
  const tail = Math.ceil(kept / 2)
  // Avoids splitting a surrogate pair.
  const start = text.slice(0, kept - tail).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}${mark}${text.slice(text.length - tail).replace(/^[\uDC00-\uDFFF]/, '')}`
}

export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/**
 * Two digits in binary units: `820 B`, `1.4 MiB`.
 * @param bytes at least 0
 */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}

/**
 * Formats `0.3 s`, `5 s`, `420 s`. Source: ours, because one unit is easy to compare.
 * @param spanMs ms; negative counts as 0
 */
export function inSeconds(spanMs: number): string {
  const tenths = Math.round(Math.max(0, spanMs) / 100)
  return tenths < 10 ? `${tenths / 10} s` : `${Math.round(spanMs / 1000)} s`
}

/**
 * Rounds up: `8 s` for 7,001 ms. Source: ours, because "in 0 s" is over.
 * @param spanMs ms, above 0
 */
export function remainingSeconds(spanMs: number): string {
  return `${Math.ceil(spanMs / 1000)} s`
}

export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Splits like a shell: at spaces outside quotes and backslashes.
 * @returns undefined for an unclosed quote
 */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at)
    if (letter === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + line.charAt(++at)
    else if (letter === quote) quote = ''
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter
      word ??= ''
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + letter
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

const COMMAND = /(?<![\w/.$-])drydock (?=[a-z-])/g

const HAS_FOLDER = /--(?:data|help)\b/

export function commandOf(name: string, data: string | undefined): string {
  return data === undefined ? name : `${name} --data ${shellQuoted(data)}`
}

export function asCalledBy(text: string, command: string): string {
  if (command === 'drydock') return text
  const [name = command] = command.split(' --data ', 1)
  const parts = text.split(/(`[^`]*`)/)
  // A function, because a dollar in a folder name is special in replacement strings.
  return parts.map((part) => part.replace(COMMAND, () => `${HAS_FOLDER.test(part) ? name : command} `)).join('')
}

export function cutLines(most = Number.POSITIVE_INFINITY) {
  let rest = ''
  return {
    take(piece: string): readonly string[] {
      // An endless line would be rescanned with each piece.
      if (!piece.includes('\n')) {
        rest = (rest + piece).slice(0, most)
        return []
      }
      const lines = (rest + piece).split('\n')
      rest = (lines.pop() ?? '').slice(0, most)
      return lines
    },
    rest: (): string => rest,
  }
}
