/** Values as people read them: two figures, units of the field. */
import { durationInWords } from '../../src-main/domain/duration-in-words.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A span for a person. */
export const duration = durationInWords

/** How long ago a moment was: `just now`, `14 s ago`, `5 min ago`. Moments to come read `in 14 s`. Both in ms since the epoch. */
export function ago(at: number, now: number): string {
  const ms = now - at
  if (Math.abs(ms) < 1000) return 'just now'
  // The seconds of a minute that is long gone tell nothing, and would change all the time.
  if (ms >= MINUTE_MS && ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`
  // Whole seconds: a figure that jumps ten times a second tells nothing.
  const span = duration(Math.max(1000, Math.floor(Math.abs(ms) / 1000) * 1000)).replace(/\.0 s$/, ' s')
  return ms < 0 ? `in ${span}` : `${span} ago`
}

/** The exact moment, in the time zone of the reader: `2026-11-24 14:03:07.120`. @param at ms since the epoch */
export function exactTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().replace('T', ' ').replace('Z', '')
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size with two figures: `820 B`, `1.4 MiB`. */
export function bytes(size: number): string {
  let value = size
  let unit = 0
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}

/** A number with its noun: `1 job`, `1,204 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
