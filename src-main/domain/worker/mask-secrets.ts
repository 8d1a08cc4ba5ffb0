// Shorter ones stand in every line by chance, and would make logs unreadable. Source: ours.
const SHORTEST = 6
const MASK = '***'

/**
 * What takes secrets out of a line. Of a value with several lines each line is one; the longest go first, so that one
 * which holds another leaves no rest.
 */
export function createMask(secrets: readonly string[]): (line: string) => string {
  const parts = [...new Set(secrets.flatMap((secret) => secret.split(/\r?\n/)).map((part) => part.trim()))]
  const hidden = parts.filter((part) => part.length >= SHORTEST).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return (line) => line
  return (line) => hidden.reduce((text, part) => text.replaceAll(part, MASK), line)
}
