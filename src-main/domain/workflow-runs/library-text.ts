/** Texts of graphs as the library stores them: recognised, and what it notes of them. */
import { scanJson } from '../json/scan-json.ts'
import { DEPTH_MAX, parseJson, strictJson } from '../workflow/json/parse.ts'
import { type JsonObject, writeJson } from '../workflow/json/value.ts'
import type { NodeTypes } from '../workflow/node-types.ts'
import { recognise } from '../workflow/recognise.ts'
import { toDocument } from '../workflow/to-document.ts'
import { filesIn } from './payload-files.ts'

/** A text that is no graph: what it is, and what to do. */
export type NoGraph = { readonly found: string; readonly fix: string }

/** Facts of a document for the library. `files`: names of files that its nodes may ask for. */
type DocumentFacts = { readonly nodes: number; readonly files: readonly string[] }

/** A document for the library with what it notes of it. */
export type LibraryText = DocumentFacts & { readonly text: string }

/** A text for the library, or why it is not a graph; a payload alone becomes a document only with the classes of nodes. */
export type LibraryRead = LibraryText | NoGraph | { readonly form: 'payload' }

const FORMS = 'A workflow is JSON with `nodes` and `links`, or a payload whose nodes have `class_type` and `inputs`.'

/**
 * Reads a text for the library. A document stays as it came; a payload is made into one.
 * @param types the classes of nodes, for a payload alone; undefined: they are not at hand
 * @returns the form alone where they are needed
 */
export function libraryText(text: string, types: NodeTypes | undefined): LibraryRead {
  const facts = factsOfDocument(text)
  if (facts !== undefined) return { text, ...facts }
  const found = readGraphText(text)
  if ('found' in found) return found
  // A document that is not plain to see is within a request.
  if (found.form === 'payload' && types === undefined) return { form: 'payload' }
  const document = found.form === 'document' ? found.raw : toDocument(found.raw, types ?? new Map())
  const written = writeJson(document)
  return { text: written, ...(factsOfDocument(written) ?? { nodes: 0, files: [] }) }
}

/** Reads a graph of either form, without loss. */
export function readGraphText(
  text: string,
): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } | NoGraph {
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    const found = `a text that is not JSON (${why} in line ${line}, column ${column})`
    return { found, fix: 'It may be incomplete: save or export the file again.' }
  }
  const recognised = recognise(parsed.value)
  return recognised.form === 'other' ? { found: recognised.found, fix: FORMS } : recognised
}

/**
 * Reads the facts of a document. By the parser of JavaScript, because the text is stored and not the value: a draft
 * comes each second, and the parser that loses nothing takes ten times as long.
 * @returns undefined where the text is no document to that parser
 */
function factsOfDocument(text: string): DocumentFacts | undefined {
  // What is too deep for the editor's parser would be stored, and never be opened again.
  if (scanJson(text, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: DEPTH_MAX }) === 'too-deep') return undefined
  const value = parsed(text)
  const nodes = nodesIn(value)
  if (nodes === undefined) return undefined
  const { definitions } = value as { readonly definitions?: { readonly subgraphs?: unknown } | null }
  const subgraphs = Array.isArray(definitions?.subgraphs) ? definitions.subgraphs : []
  const inner = subgraphs.reduce<number>((sum, one) => sum + (nodesIn(one) ?? 0), 0)
  return { nodes: nodes + inner, files: filesIn(value) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const strict = strictJson(text)
    // Nothing for this parser: the other one says what is wrong, and where.
    return strict === text ? undefined : parsed(strict)
  }
}

/** How many nodes a graph has; undefined where it is no graph. */
function nodesIn(graph: unknown): number | undefined {
  if (typeof graph !== 'object' || graph === null || !('nodes' in graph)) return undefined
  return Array.isArray(graph.nodes) ? graph.nodes.length : undefined
}
