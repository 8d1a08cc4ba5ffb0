/**
 * Values that a node with a subgraph gives to the inputs of it. There are three generations of files: values that live
 * inside, values of the inputs on the host, and the latter without a list. Source: editor research, 1, Subgraphs.
 */
import type { GraphNode } from '../document/document.ts'
import { parseJson } from '../json/parse.ts'
import { asId, asText, isArray, isObject, type JsonArray, type JsonValue } from '../json/value.ts'

const ON_THE_HOST = '-1'

/**
 * The value that the host itself holds for an input of its subgraph.
 * @returns undefined where it lives inside, or is not set
 */
export function hostValue(host: GraphNode, input: string): JsonValue | undefined {
  const values = host.widgetValues
  if (isObject(values)) return values.get(input)
  if (!isArray(values)) return undefined
  const at = placeOf(input, host, values)
  return at < 0 ? undefined : values[at]
}

function placeOf(input: string, host: GraphNode, values: JsonArray): number {
  const promoted = promotedWidgets(host)
  if (promoted.length === 0) return host.inputs.items.flatMap((slot) => slot.widget ?? []).indexOf(input)
  const onHost = promoted.filter(({ node }) => node === ON_THE_HOST)
  const listed = values.length === promoted.length ? promoted : onHost
  return listed.findIndex(({ node, widget }) => node === ON_THE_HOST && widget === input)
}

/** Widgets of inner nodes that are shown on the host. `node` is -1 for an input of the host itself. */
function promotedWidgets({ properties }: GraphNode): readonly { readonly node: string; readonly widget: string }[] {
  const given = isObject(properties) ? properties.get('proxyWidgets') : undefined
  const entries = typeof given === 'string' ? parsed(given) : given
  if (!isArray(entries)) return []
  return entries.flatMap((entry) => {
    const [node, widget] = isArray(entry) ? [asId(entry[0]), asText(entry[1])] : []
    return node === undefined || widget === undefined ? [] : [{ node, widget }]
  })
}

function parsed(text: string): JsonValue | undefined {
  const json = parseJson(text)
  return json.kind === 'value' ? json.value : undefined
}
