import { durationText, momentText, sizeText } from '../../src-main/lib/text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src-main/lib/units.ts'

export const duration = durationText

export const exactTime = momentText

const figures = (value: number) => (value < 9.95 ? Number(value.toFixed(1)) : Math.round(value))

/**
 * A span in one unit for narrow columns: `320 ms`, `1.4 s`, `6.7 min`, `23 h`.
 * @param ms at least 0
 */
export function shortDuration(ms: number): string {
  if (ms < MINUTE_MS) return durationText(ms)
  if (ms < 59.5 * MINUTE_MS) return `${figures(ms / MINUTE_MS)} min`
  return ms < 23.5 * HOUR_MS ? `${figures(ms / HOUR_MS)} h` : `${figures(ms / DAY_MS)} d`
}

export const bytes = sizeText

/**
 * Formats `3.2 %`, `47 %`.
 * @param value 0 to 100
 */
export function percentText(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`
}

/** The service writes reasons to follow other words. */
export function asSentence(reason: string): string {
  const [first = '', ...rest] = reason
  return `${first.toUpperCase()}${rest.join('')}${/[.!?…]$/.test(reason) ? '' : '.'}`
}

/** A duration in whole seconds, because fractions would change ten times a second. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS
