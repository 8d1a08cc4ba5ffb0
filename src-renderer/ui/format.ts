/** Values as people read them: two figures, units of the field. */
import { SECOND_MS } from '../../src-main/contract/units.ts'
import { durationText, sizeText } from '../../src-main/domain/text.ts'

/** A span for a person. */
export const duration = durationText

/** The exact moment, in the time zone of the reader: `2026-11-24 14:03:07.120`. @param at ms since the epoch */
export function exactTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().replace('T', ' ').replace('Z', '')
}

/** A size with two figures: `820 B`, `1.4 MiB`. */
export const bytes = sizeText

/** A share for a person: `3.2 %`, `47 %`. @param value 0 to 100 */
export function percentText(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`
}

/** A reason of the service, which stands after other words there, as a sentence of its own. */
export function asSentence(reason: string): string {
  const [first = '', ...rest] = reason
  return `${first.toUpperCase()}${rest.join('')}${/[.!?…]$/.test(reason) ? '' : '.'}`
}

/** A span without the part of a second, which would change ten times a second. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS
