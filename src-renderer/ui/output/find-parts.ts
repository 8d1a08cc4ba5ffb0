/**
 * What of a value is better looked at than read: pictures, sound, films, and longer texts. Workers send media as data
 * addresses, or as base64 without saying what it is; its first bytes tell.
 */

/** A part of a value that is shown by itself. `path` is where it is, like `images[0].data`. */
export type OutputPart =
  | { readonly kind: 'image' | 'audio' | 'video'; readonly path: string; readonly source: string }
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'link'; readonly path: string; readonly address: string }

// A value of a million entries must not stop the window, and nobody looks at more pictures at once.
const MOST_PARTS = 50
const MOST_VISITED = 20_000
const LONG_LINE = 120

const DATA_ADDRESS = /^data:(image|audio|video)\/[\w.+-]+(;[\w=.+-]+)*,/
/** Beginnings of base64 texts: the first bytes of the format, three of which are four characters. */
const MAGIC: readonly (readonly [start: RegExp, type: string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
  [/^UklGR.{6}XQVZF/, 'audio/wav'],
  [/^SUQz/, 'audio/mpeg'],
  [/^T2dnUw/, 'audio/ogg'],
  [/^AAAA.{2}Z0eX/, 'video/mp4'],
]
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Finds the parts, in the order in which they stand. */
export function findParts(value: unknown): readonly OutputPart[] {
  const parts: OutputPart[] = []
  let visited = 0

  function visit(item: unknown, path: string): void {
    visited += 1
    if (visited > MOST_VISITED || parts.length >= MOST_PARTS) return
    if (typeof item === 'string') {
      const part = partOf(item, path)
      if (part !== undefined) parts.push(part)
    } else if (Array.isArray(item)) {
      for (const [at, one] of item.entries()) visit(one, `${path}[${at}]`)
    } else if (typeof item === 'object' && item !== null) {
      for (const [name, one] of Object.entries(item)) visit(one, path === '' ? name : `${path}.${name}`)
    }
  }

  visit(value, '')
  return parts
}

function partOf(text: string, path: string): OutputPart | undefined {
  const kind = DATA_ADDRESS.exec(text)?.[1] as 'image' | 'audio' | 'video' | undefined
  if (kind !== undefined) return { kind, path, source: text }
  const type = typeOfBase64(text)
  if (type !== undefined)
    return { kind: type.split('/', 1)[0] as 'image' | 'audio' | 'video', path, source: `data:${type};base64,${text}` }
  if (/^https?:\/\/\S+$/.test(text)) return { kind: 'link', path, address: text }
  // The only thing there is, or more than fits into a line of the tree.
  if (path === '' || text.includes('\n') || text.length > LONG_LINE) return { kind: 'text', path, text }
  return undefined
}

function typeOfBase64(text: string): string | undefined {
  if (text.length < 40) return undefined
  const type = MAGIC.find(([start]) => start.test(text.slice(0, 24)))?.[1]
  return type !== undefined && BASE64.test(text) ? type : undefined
}
