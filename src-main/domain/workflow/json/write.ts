import { isArray, isNumber, type JsonObject, type JsonValue } from './value.ts'

/**
 * Writes JSON, numbers as they came. An empty array or object stays on its line.
 * @param indent spaces of one level; 0 writes one line without spaces
 */
export function writeJson(value: JsonValue, indent = 0): string {
  const parts: string[] = []
  write(value, indent, '\n', parts)
  return parts.join('')
}

function write(value: JsonValue, indent: number, newLine: string, parts: string[]): void {
  if (isArray(value)) writeAll(value, ['[', ']'], (item) => item, { indent, newLine, parts })
  else if (isNumber(value)) parts.push(value.number)
  else if (typeof value === 'object' && value !== null) writeObject(value, indent, newLine, parts)
  else parts.push(JSON.stringify(value))
}

function writeObject(object: JsonObject, indent: number, newLine: string, parts: string[]): void {
  const colon = indent === 0 ? ':' : ': '
  writeAll(
    [...object],
    ['{', '}'],
    ([key, value]) => {
      parts.push(JSON.stringify(key), colon)
      return value
    },
    { indent, newLine, parts },
  )
}

function writeAll<Item>(
  items: readonly Item[],
  [begin, end]: readonly [string, string],
  read: (item: Item) => JsonValue,
  { indent, newLine, parts }: { readonly indent: number; readonly newLine: string; readonly parts: string[] },
): void {
  if (items.length === 0) {
    parts.push(begin, end)
    return
  }
  const inner = newLine + ' '.repeat(indent)
  parts.push(begin)
  items.forEach((item, at) => {
    if (at > 0) parts.push(',')
    if (indent > 0) parts.push(inner)
    write(read(item), indent, inner, parts)
  })
  if (indent > 0) parts.push(newLine)
  parts.push(end)
}
