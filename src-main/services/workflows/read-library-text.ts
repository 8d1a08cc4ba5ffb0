import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { scanJson } from '../../domain/json/scan-json.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { DEPTH_MAX, parseJson, strictJson } from '../../domain/workflow/json/parse.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { recognise } from '../../domain/workflow/recognise.ts'
import { toDocument } from '../../domain/workflow/to-document/to-document.ts'
import { filesIn } from '../../domain/workflow-runs/files-in.ts'
import type { LibraryText } from '../ports/workflows.ts'

const FORMS = 'A workflow is JSON with `nodes` and `links`, or a payload whose nodes have `class_type` and `inputs`.'

/**
 * Reads a text for the library. A document stays as it came; a payload is made into one.
 * @param types gives the classes, for payloads alone
 * @throws AppError NOT_A_WORKFLOW with what was found, BODY_TOO_LARGE
 */
export async function readLibraryText(text: string, types: () => Promise<NodeTypes>): Promise<LibraryText> {
  const facts = factsOfDocument(text)
  if (facts !== undefined) return { text, ...facts }
  const found = readGraph(text)
  // A document that is not plain to see is within a request.
  const document = found.form === 'document' ? found.raw : toDocument(found.raw, await types())
  const written = writeJson(document)
  return { text: written, ...(factsOfDocument(written) ?? { nodes: 0, files: [] }) }
}

/**
 * Checks that a text is a document.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export function checkDocument(text: string): void {
  if (factsOfDocument(text) === undefined) readGraph(text)
}

/**
 * Reads a graph of either form, without loss.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE
 */
export function readGraph(text: string): { readonly form: 'document' | 'payload'; readonly raw: JsonObject } {
  refuseLarge(text)
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    const found = `a text that is no JSON (${why} in line ${line}, column ${column})`
    throw new AppError('NOT_A_WORKFLOW', { found, fix: 'It may have been cut off: save or export the file again.' })
  }
  const recognised = recognise(parsed.value)
  if (recognised.form === 'other') throw new AppError('NOT_A_WORKFLOW', { found: recognised.found, fix: FORMS })
  return recognised
}

function refuseLarge(text: string): void {
  const most = limit('workflowBytes')
  if (text.length > most || Buffer.byteLength(text) > most)
    throw new AppError('BODY_TOO_LARGE', { limit: sizeInWords(most), operation: 'a workflow' })
}

/**
 * What the library notes of a document. By the parser of JavaScript, as the text is kept and not what is read: a draft
 * comes each second, and the one that loses nothing takes ten times as long.
 * @returns undefined where the text is no document to that parser
 */
function factsOfDocument(text: string): Pick<LibraryText, 'nodes' | 'files'> | undefined {
  refuseLarge(text)
  // What is too deep for the editor's parser would be kept, and never be opened again.
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

/** How many nodes a graph has; undefined where it is none. */
function nodesIn(graph: unknown): number | undefined {
  if (typeof graph !== 'object' || graph === null || !('nodes' in graph)) return undefined
  return Array.isArray(graph.nodes) ? graph.nodes.length : undefined
}
