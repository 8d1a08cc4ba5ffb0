import type { Json } from '../../../../lib/json/bytes.ts'
import { DEPTH_MAX, faultText, readJson, strictJson } from '../../../../lib/json/parse.ts'
import { plainJson } from '../../../../lib/json/plain.ts'
import { scanJson } from '../../../../lib/json/scan.ts'
import { type JsonObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import { recognise } from '../recognise.ts'
import { toDocument } from '../to-document.ts'
import { filesIn } from './payload-files.ts'

export type NoGraph = { readonly found: string; readonly fix: string }

type DocumentFacts = { readonly nodes: number; readonly files: readonly string[] }

export type LibraryText = DocumentFacts & { readonly text: Json }

/** A library text, or why it is no graph; a payload alone needs node classes first. */
export type LibraryRead = LibraryText | NoGraph | { readonly form: 'payload' }

const FORMS = 'A workflow is JSON with `nodes` and `links`, or a payload whose nodes have `class_type` and `inputs`.'

/**
 * Keeps a document's text and converts a payload.
 * @param types undefined: not loaded
 * @returns the form alone if types are required
 */
export function libraryText(text: string, types: NodeTypes | undefined): LibraryRead {
  const facts = factsOfDocument(text)
  if (facts !== undefined) return { text, ...facts }
  const found = readGraphText(text)
  if ('found' in found) return found
  if (found.form === 'payload' && types === undefined) return { form: 'payload' }
  const document = found.form === 'document' ? found.raw : toDocument(found.raw, types ?? new Map())
  const written = writeJson(document)
  return { text: written, ...(factsOfDocument(written) ?? { nodes: 0, files: [] }) }
}

export function readGraphText(
  text: string,
): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } | NoGraph {
  const read = readJson(text)
  if ('fault' in read) {
    const found = `a text that is not JSON (${faultText(read.fault)})`
    return { found, fix: 'It may be incomplete: save or export the file again.' }
  }
  return graphIn(read.value)
}

export function graphIn(value: JsonValue): ReturnType<typeof readGraphText> {
  const recognised = recognise(value)
  return recognised.form === 'other' ? { found: recognised.found, fix: FORMS } : recognised
}

/**
 * Uses JSON.parse, as only the text is stored: drafts arrive every second, and the lossless parser takes ten times as
 * long.
 * @returns undefined if it is no document
 */
function factsOfDocument(text: string): DocumentFacts | undefined {
  // A text too deep for the editor's parser could never be opened again.
  if (scanJson(text, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: DEPTH_MAX }) === 'too-deep') return undefined
  const value = plainJson(text) ?? plainJson(strictJson(text))
  const nodes = nodesIn(value)
  if (nodes === undefined) return undefined
  const { definitions } = value as { readonly definitions?: { readonly subgraphs?: unknown } | null }
  const subgraphs = Array.isArray(definitions?.subgraphs) ? definitions.subgraphs : []
  const inner = subgraphs.reduce<number>((sum, one) => sum + (nodesIn(one) ?? 0), 0)
  return { nodes: nodes + inner, files: filesIn(value) }
}

function nodesIn(graph: unknown): number | undefined {
  if (typeof graph !== 'object' || graph === null || !('nodes' in graph)) return undefined
  return Array.isArray(graph.nodes) ? graph.nodes.length : undefined
}
