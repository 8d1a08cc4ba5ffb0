/**
 * Slices a JSON text without parsing numbers, so that a handler gets its input unchanged. The text must already be
 * validated.
 */

export function membersOf(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  for (const { name, value } of piecesOf(text)) if (name !== undefined) members.set(name, value)
  return members
}

export const elementsOf = (text: string): readonly string[] => piecesOf(text).map(({ value }) => value)

type Piece = { readonly name: string | undefined; readonly value: string }

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let depth = 0
  let start = 0
  let name: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at)
    else if (sign === '{' || sign === '[') {
      depth += 1
      if (depth === 1) start = at + 1
    } else if (depth === 1 && sign === ':') {
      name = JSON.parse(text.slice(start, at)) as string
      start = at + 1
    } else if ((depth === 1 && sign === ',') || sign === '}' || sign === ']') {
      if (depth === 1) {
        const value = text.slice(start, at).trim()
        if (value !== '') pieces.push({ name, value })
        start = at + 1
      }
      if (sign !== ',') depth -= 1
    }
  }
  return pieces
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
