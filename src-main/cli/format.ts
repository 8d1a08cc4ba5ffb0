import { sizeInWords } from '../domain/size-in-words.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A span for a person, with two figures: 320 ms, 1.4 s, 2 min 5 s. @param ms span in ms, >= 0 */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', SECOND, 's')
  return ms < DAY ? pair(ms, HOUR, 'h', MINUTE, 'min') : pair(ms, DAY, 'd', HOUR, 'h')
}

/** A time for a person, relative to now: `14 s ago`. @param at ms since the epoch */
export function ago(at: number, now: number): string {
  const span = now - at
  return span < SECOND ? 'just now' : `${duration(span)} ago`
}

/** A size for a person. */
export const size = sizeInWords

/** A number with its noun: `1 job`, `3 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}
