/** Our conversion, from text to text, with the classes that come along. */
import { readFileSync } from 'node:fs'
import { typesIn } from '../../src-main/domain/workflow/classes-file.ts'
import { readDocument, subgraphsOf, writeDocument } from '../../src-main/domain/workflow/document/document.ts'
import { setWidget } from '../../src-main/domain/workflow/edit/widgets.ts'
import { parseJson } from '../../src-main/domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../src-main/domain/workflow/json/write.ts'
import { toDocument } from '../../src-main/domain/workflow/to-document/to-document.ts'
import { isActive } from '../../src-main/domain/workflow/to-payload/scope.ts'
import { toPayload } from '../../src-main/domain/workflow/to-payload/to-payload.ts'
import { hostWidgets } from '../../src-main/domain/workflow/view/host-widgets.ts'
import type { WidgetView } from '../../src-main/domain/workflow/view/node-view.ts'

/** The text of the classes that come along. */
export const CLASSES = readFileSync(new URL('../../resources/node-types.json', import.meta.url), 'utf8')

const TYPES = typesIn(CLASSES)

/** The payload of a document. Both are JSON. */
export function payloadOf(document: string): string {
  return writeJson(toPayload(readDocument(objectIn(document)), TYPES, 0).payload)
}

/** A document of a payload. Both are JSON. */
export function documentOf(payload: string): string {
  return writeJson(toDocument(objectIn(payload), TYPES))
}

/**
 * A document with another text in the first widget of a subgraph's host that holds one.
 * @returns undefined where no host shows a text
 */
export function withText(document: string, text: string): string | undefined {
  const read = readDocument(objectIn(document))
  const definitions = subgraphsOf(read)
  for (const node of read.nodes.items) {
    if (!definitions.has(node.type ?? '') || !isActive(node)) continue
    const widget = hostWidgets(definitions, node, TYPES).find((one) => !one.isLinked && isText(one))
    if (widget === undefined) continue
    const target = { node: node.id ?? '', name: widget.name, types: TYPES, value: text }
    return writeJson(writeDocument(setWidget(read, undefined, target)))
  }
  return undefined
}

const isText = ({ kind, input, value }: WidgetView): boolean =>
  kind === 'input' && input?.type === 'STRING' && typeof value === 'string'

/** A document, opened and saved. */
export const savedAgain = (document: string): string => writeJson(writeDocument(readDocument(objectIn(document))))

function objectIn(text: string): JsonObject {
  const parsed = parseJson(text)
  if (parsed.kind !== 'value' || !isObject(parsed.value)) throw new Error(`no object: ${text.slice(0, 100)}`)
  return parsed.value
}

// Nodes of the editor alone.
const OF_EDITOR = /^(PrimitiveNode|Reroute|Note|MarkdownNote)$|^[\da-f]{8}-[\da-f-]{27}$/

/** Whether the classes that come along hold all those of a document; of a newer release they may not. */
export function knowsClassesOf(document: string): boolean {
  const { nodes = [], definitions } = JSON.parse(document) as Graph
  const all = [...nodes, ...(definitions?.subgraphs ?? []).flatMap((one) => one.nodes ?? [])]
  return nodes.length > 0 && all.every(({ type }) => OF_EDITOR.test(type) || TYPES.has(type))
}

type Graph = {
  readonly nodes?: readonly { readonly type: string }[]
  readonly definitions?: { readonly subgraphs?: readonly Graph[] }
}
