/** A document as text: the text that it was opened from while nothing is changed, and its way of indenting after that. */
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/domain/workflow/document/document.ts'
import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { recognise } from '../../../../src-main/domain/workflow/recognise.ts'
import { type WrittenTexts, writeText } from './write-text.ts'

/** Turns a document into its text. */
export type DocumentWriter = (document: WorkflowDocument) => string

/** A text that was opened. */
export type OpenedText =
  | { readonly kind: 'document'; readonly document: WorkflowDocument; readonly write: DocumentWriter }
  | { readonly kind: 'fault'; readonly why: string }

/** Opens the text of a document. */
export function openText(text: string): OpenedText {
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    return { kind: 'fault', why: `The workflow is no valid JSON: ${why} in line ${line}, column ${column}.` }
  }
  const found = recognise(parsed.value)
  if (found.form !== 'document') {
    const what = found.form === 'payload' ? 'a workflow in the API form' : found.found
    return { kind: 'fault', why: `This is no document of the editor but ${what}.` }
  }
  const document = readDocument(found.raw)
  return { kind: 'document', document, write: writerOf(document, found.raw === parsed.value ? text : undefined, text) }
}

function writerOf(opened: WorkflowDocument, text: string | undefined, like: string): DocumentWriter {
  const indent = indentOf(like)
  const written: WrittenTexts = new WeakMap()
  const end = /\n?$/.exec(like)?.[0] ?? ''
  return (document) =>
    document === opened && text !== undefined ? text : writeText(writeDocument(document), indent, written) + end
}

const INDENT_MAX = 8

// Spaces before the first key; a document on one line stays there.
function indentOf(text: string): number {
  return Math.min(INDENT_MAX, /^\s*\{\r?\n( *)/.exec(text)?.[1]?.length ?? 0)
}
