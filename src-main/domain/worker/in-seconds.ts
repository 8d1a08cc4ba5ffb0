/**
 * A span in words for a person, in seconds: `0.3 s`, `5 s`, `420 s`. Source: ours, because one unit can be compared at a glance.
 * @param spanMs - the span, ms; less than 0 counts as 0
 */
export function inSeconds(spanMs: number): string {
  const tenths = Math.round(Math.max(0, spanMs) / 100)
  return tenths < 10 ? `${tenths / 10} s` : `${Math.round(spanMs / 1000)} s`
}

/**
 * What is left of a wait, in whole seconds and never too little: `8 s` for 7,001 ms. Source: ours, because "in 0 s" is over.
 * @param spanMs - the span, ms, above 0
 */
export function remainingSeconds(spanMs: number): string {
  return `${Math.ceil(spanMs / 1000)} s`
}
