import { utf8Bytes } from '../../contract/utf8.ts'

/**
 * Cuts one chunk into pieces of at most `maxBytes` of JSON each, in order. A string is cut into strings, an array into
 * arrays, anything else is sent as pieces of its JSON text. Source: spec 8; job-api, Stream.
 * @param output JSON text of the chunk's output
 * @param metrics JSON text of its metrics, kept on the first piece only
 * @returns JSON texts of `{output, metrics?}`
 */
export function splitChunk(output: string, metrics: string | undefined, maxBytes: number): readonly string[] {
  const pieces = fits(output, maxBytes) ? [output] : cut(output, maxBytes)
  return pieces.map((piece, index) => chunkText(piece, index === 0 ? metrics : undefined))
}

function chunkText(output: string, metrics: string | undefined): string {
  return metrics === undefined ? `{"output":${output}}` : `{"output":${output},"metrics":${metrics}}`
}

// A letter of JSON text takes at most 3 bytes a UTF-16 unit, so short text needs no count.
function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || utf8Bytes(text) <= maxBytes
}

function cut(output: string, maxBytes: number): readonly string[] {
  const value: unknown = JSON.parse(output)
  if (typeof value === 'string') return cutString(value, maxBytes)
  if (Array.isArray(value)) return cutArray(value, maxBytes)
  return cutString(output, maxBytes)
}

// 6 bytes is the longest form of one unit in JSON (\u0000), 2 more are the quotes.
function cutString(text: string, maxBytes: number): readonly string[] {
  const pieces: string[] = []
  let from = 0
  while (from < text.length) {
    let to = Math.min(text.length, from + maxBytes - 2)
    while (utf8Bytes(JSON.stringify(text.slice(from, to))) > maxBytes)
      to = from + Math.max(1, Math.floor((to - from) / 2))
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) && to - from > 1) to -= 1
    pieces.push(JSON.stringify(text.slice(from, to)))
    from = to
  }
  return pieces
}

function cutArray(items: readonly unknown[], maxBytes: number): readonly string[] {
  const pieces: string[] = []
  let open: string[] = []
  let bytes = 2
  const close = () => {
    if (open.length > 0) pieces.push(`[${open.join(',')}]`)
    open = []
    bytes = 2
  }
  for (const item of items) {
    const text = JSON.stringify(item)
    const size = utf8Bytes(text) + 1
    if (size + 2 > maxBytes) {
      close()
      pieces.push(...cut(text, maxBytes))
      continue
    }
    if (bytes + size > maxBytes) close()
    open.push(text)
    bytes += size
  }
  close()
  return pieces
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
