import { MIB } from '../../../lib/units.ts'
import type { GraphOfPicture } from '../ports/readers.ts'
import { readPngTexts, writeGraphIntoPng } from '../rules/metadata/png.ts'

// Source: ours, twice the largest graph seen. Larger ones in 500 pictures would be gigabytes.
const GRAPH_LENGTH_MAX = 4 * MIB
// Plain text only, since compressed data may expand without limit.
const TOOLS = { utf8: (bytes: Uint8Array) => new TextDecoder().decode(bytes), inflate: () => new Uint8Array() }

/** Adds the graph to a PNG as the field's tools do; existing texts stay. */
export function withGraph(bytes: Uint8Array, { payload, document }: GraphOfPicture): Uint8Array {
  if (payload.length + (document?.length ?? 0) > GRAPH_LENGTH_MAX) return bytes
  const has = new Set(readPngTexts(bytes, TOOLS).map(({ keyword }) => keyword.toLowerCase()))
  const texts = {
    ...(has.has('prompt') ? {} : { prompt: payload }),
    ...(has.has('workflow') || document === undefined ? {} : { workflow: document }),
  }
  return Object.keys(texts).length === 0 ? bytes : (writeGraphIntoPng(bytes, texts, Buffer.from) ?? bytes)
}

export function withGraphOf(png: Uint8Array, original: Uint8Array): Uint8Array {
  const texts = readPngTexts(original, TOOLS).filter(({ keyword }) => keyword === 'prompt' || keyword === 'workflow')
  const graph = Object.fromEntries(texts.map(({ keyword, text }) => [keyword, text]))
  return writeGraphIntoPng(png, graph, Buffer.from) ?? png
}
