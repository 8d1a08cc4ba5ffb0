/** A span for a person with two figures: `320 ms`, `1.4 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. @param ms at least 0 */
export function durationInWords(ms: number): string {
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
