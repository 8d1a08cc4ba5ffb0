import { durationInWords } from '../domain/duration-in-words.ts'
import { sizeInWords } from '../domain/size-in-words.ts'

const SECOND = 1000

/** A span for a person. */
export const duration = durationInWords

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
