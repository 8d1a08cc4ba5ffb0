/** Spans, sizes, commits and commands as text for people; text that comes in pieces as lines. */
import type { GitState } from '../contract/app.ts'
import type { EndpointConfig } from '../contract/endpoint.ts'
import type { Faults } from '../contract/faults.ts'
import type { MachineWay } from '../contract/machines.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../contract/units.ts'

/**
 * A span for a person with two figures: `320 ms`, `1.4 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. @param ms at least 0
 */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 59.5) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
  return ofUnits(Math.round(seconds))
}

// The two largest units that are not nought.
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

/** The exact moment, in the time zone of the reader: `2026-11-24 14:03:07.120`. @param at ms since the epoch */
export function momentText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().replace('T', ' ').replace('Z', '')
}

/**
 * How long ago a moment was: `just now`, `14 s ago`, `5 min ago`. Moments to come read `in 14 s`. Both in ms since the
 * epoch.
 */
export function ago(at: number, now: number): string {
  const ms = now - at
  if (Math.abs(ms) < SECOND_MS) return 'just now'
  // The smaller unit of a span that is long gone tells nothing, and would change all the time.
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d ago`
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h ago`
  if (ms >= MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`
  // Whole seconds: a figure that jumps ten times a second tells nothing.
  const whole = Math.max(SECOND_MS, Math.floor(Math.abs(ms) / SECOND_MS) * SECOND_MS)
  const span = durationText(whole).replace(/\.0 s$/, ' s')
  return ms < 0 ? `in ${span}` : `${span} ago`
}

/** A text with one full stop at its end, whether it had one or not. */
export function withFullStop(text: string): string {
  let end = text.length
  // By hand, as a pattern looks for the end from each stop again.
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end -= 1
  return `${text.slice(0, end)}.`
}

/** The beginning of a text, at most `most` characters with the mark of a cut. */
export function keepStart(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

const CUT = ' … '

/**
 * A text of at most `most` characters, cut in its middle: an error begins with its kind and ends with its cause.
 * @param mark stands for what is missing
 */
export function keepEnds(text: string, most: number, mark = CUT): string {
  if (text.length <= most) return text
  const kept = Math.max(0, most - mark.length)
  const tail = Math.ceil(kept / 2)
  // A cut pair of code units would be no character.
  const start = text.slice(0, kept - tail).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}${mark}${text.slice(text.length - tail).replace(/^[\uDC00-\uDFFF]/, '')}`
}

/** A number with its noun: `1 job`, `1,204 jobs`. @param nouns the noun for several, where an s is not enough */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size for a person, with two figures in binary units: `820 B`, `1.4 MiB`. @param bytes at least 0 */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}

/** The injected faults that are on: `delays each job by 2.0 s, fails 10 %`; empty: all are off. */
export function faultsText(faults: Faults = {}): string {
  const { delayMs, failPercent, killPercent, outOfMemoryPercent, throttle, coldStart } = faults
  return [
    delayMs ? `delays each job by ${durationText(delayMs)}` : '',
    failPercent ? `fails ${failPercent} %` : '',
    killPercent ? `kills the worker of ${killPercent} %` : '',
    outOfMemoryPercent ? `runs out of memory on ${outOfMemoryPercent} %` : '',
    throttle ? 'has no capacity for further workers' : '',
    coldStart ? 'starts cold for every job' : '',
  ]
    .filter((words) => words !== '')
    .join(', ')
}

/**
 * A span as text for a person, in seconds: `0.3 s`, `5 s`, `420 s`. Source: ours, because one unit can be compared at a
 * glance.
 * @param spanMs - the span, ms; less than 0 counts as 0
 */
export function inSeconds(spanMs: number): string {
  const tenths = Math.round(Math.max(0, spanMs) / 100)
  return tenths < 10 ? `${tenths / 10} s` : `${Math.round(spanMs / 1000)} s`
}

/**
 * What is left of a wait, in whole seconds and never too little: `8 s` for 7,001 ms. Source: ours, because "in 0 s" is
 * over.
 * @param spanMs - the span, ms, above 0
 */
export function remainingSeconds(spanMs: number): string {
  return `${Math.ceil(spanMs / 1000)} s`
}

// As much of a hash as tells commits of one repository apart; source: git shows 7 at least.
const SHOWN = 8

/** A commit as text, like `main 1a2b3c4d Mend the parser (with changes that are not committed)`. */
export function gitText({ commit, branch, message, clean }: GitState): string {
  const words = [branch, commit.slice(0, SHOWN), message].filter((word) => word !== undefined && word !== '')
  return `${words.join(' ')}${clean ? '' : ' (with changes that are not committed)'}`
}

/** A text as one word of a shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Cuts a command line into its words as a shell does: at spaces, but not within quotes or after a backslash.
 * @returns undefined: a quotation mark is not closed
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
      word ??= '' // "" is a word too
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + letter
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

// A command in a sentence; not the beginning of a path or a name.
const COMMAND = /(?<![\w/.$-])drydock (?=[a-z-])/g

// A command that names its data folder, or that needs none.
const HAS_FOLDER = /--(?:data|help)\b/

/** How a command line is called that works on a data folder. @param data undefined: on the one that it finds itself */
export function commandOf(name: string, data: string | undefined): string {
  return data === undefined ? name : `${name} --data ${shellQuoted(data)}`
}

/**
 * A hint as its reader can type it.
 * @param text with commands as `drydock deploy`, between backticks where other words follow
 * @param command see `commandOf`
 */
export function asCalledBy(text: string, command: string): string {
  if (command === 'drydock') return text
  const [name = command] = command.split(' --data ', 1)
  const parts = text.split(/(`[^`]*`)/)
  // By a function: a dollar in the path of a folder is no pattern.
  return parts.map((part) => part.replace(COMMAND, () => `${HAS_FOLDER.test(part) ? name : command} `)).join('')
}

/** How a machine is reached, as its owner would write it. */
export function wayText(way: MachineWay): string {
  if (way.kind === 'ssh') return `ssh ${way.to}${way.port === undefined ? '' : `:${way.port}`}`
  return way.kind === 'context' ? `context ${way.name}` : way.url
}

/** The rule by which a fleet grows. @param work what workers take, in the plural */
export function scalerText({ type, value }: EndpointConfig['scaler'], work = 'jobs'): string {
  return type === 'QUEUE_DELAY' ? `by delay, ${value} s` : `by ${work}, ${value} a worker`
}

/** Reads such a rule as people type it: `4s` is a delay in the queue, `3/worker` a number of jobs; undefined: neither. */
export function readScaler(text: string): EndpointConfig['scaler'] | undefined {
  const [, jobs] = /^(\d{1,5})\/worker$/.exec(text) ?? []
  if (jobs !== undefined) return { type: 'REQUEST_COUNT', value: Number(jobs) }
  const [, seconds] = /^(\d{1,4}(?:\.\d+)?)s$/.exec(text) ?? []
  return seconds === undefined ? undefined : { type: 'QUEUE_DELAY', value: Number(seconds) }
}

/** Lines of a text that comes in pieces. */
export type LineCutter = {
  /** @returns the lines that end in this piece, without their ends */
  readonly take: (piece: string) => readonly string[]
  /** What has come since the last line end. */
  readonly rest: () => string
}

/** Begins to cut a text into lines. @param most how many characters are held of a line that has not ended yet */
export function cutLines(most = Number.POSITIVE_INFINITY): LineCutter {
  let rest = ''
  return {
    take(piece) {
      // A line that does not end would be gone through again with each piece.
      if (!piece.includes('\n')) {
        rest = (rest + piece).slice(0, most)
        return []
      }
      const lines = (rest + piece).split('\n')
      rest = (lines.pop() ?? '').slice(0, most)
      return lines
    },
    rest: () => rest,
  }
}
