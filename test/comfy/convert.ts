/** Our conversion, from text to text, with the classes that come along. */
import { readFileSync } from 'node:fs'
import { typesIn } from '../../src-main/features/workflows/rules/classes-file.ts'
import { readDocument, subgraphsOf, writeDocument } from '../../src-main/features/workflows/rules/document/document.ts'
import { setWidget } from '../../src-main/features/workflows/rules/edit/widgets.ts'
import type { WidgetView } from '../../src-main/features/workflows/rules/node-view.ts'
import { hostWidgets } from '../../src-main/features/workflows/rules/promoted-widgets.ts'
import { toResolvedPayload } from '../../src-main/features/workflows/rules/resolve/resolve.ts'
import { toDocument } from '../../src-main/features/workflows/rules/to-document.ts'
import { isActive } from '../../src-main/features/workflows/rules/to-payload/find-source.ts'
import { parseJson } from '../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject, writeJson } from '../../src-main/lib/json/value.ts'

/** The text of the classes that come along. */
export const CLASSES = readFileSync(new URL('../../resources/node-types.json', import.meta.url), 'utf8')

/** The classes that come along. */
export const TYPES = typesIn(CLASSES)

/** The payload of a document. Both are JSON. */
export function payloadOf(document: string): string {
  return writeJson(toResolvedPayload(readDocument(objectIn(document)), TYPES, 0).payload)
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

/** @throws Error if the text is not an object */
export function objectIn(text: string): JsonObject {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error(`no object: ${text.slice(0, 100)}`)
  return parsed
}
