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

/** A size for a person in binary units. @param bytes >= 0 */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** A number with its noun: `1 job`, `3 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}
