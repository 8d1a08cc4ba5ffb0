const LONGEST = 200

/** A value of a setting as a plan shows it; undefined: there is none. */
export function settingText(value: unknown): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
