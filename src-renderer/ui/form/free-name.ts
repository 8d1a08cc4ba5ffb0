/** A name that no endpoint has yet: this one, with a number where it is taken. */
export function freeName(id: string, taken: readonly string[]): string {
  if (!taken.includes(id)) return id
  const next = Array.from({ length: taken.length + 1 }, (_name, at) => `${id}-${at + 2}`)
  return next.find((name) => !taken.includes(name)) ?? id
}
