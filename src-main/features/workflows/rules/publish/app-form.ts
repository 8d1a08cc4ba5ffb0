/** The form that ComfyUI's App Mode keeps in `extra.linearData`: `inputs: [[node, widget]]`, `outputs: [node]`. */
import { asText } from '../../../../lib/json/plain.ts'
import { arrayAt, asId, isArray, isObject, type JsonObject } from '../../../../lib/json/value.ts'
import { subgraphsOf, type WorkflowDocument } from '../document/document.ts'
import { nodeById } from '../document/index-of.ts'
import { graphAt } from '../edit/graph-at.ts'
import type { NodeTypes } from '../node-types.ts'
import { payloadIdOf, whereIs } from '../payload-ids.ts'
import { findPromoted, promotedWidgets, SUBGRAPH_DEPTH_MAX } from '../promoted-widgets.ts'
import {
  freeParameterName,
  type GraphForm,
  hasForm,
  parameterOf,
  readForm,
  suggestParameter,
  writeForm,
} from './graph-form.ts'

/** The form of the document, or else that of App Mode. */
export const formOf = (document: WorkflowDocument, payload: JsonObject, types: NodeTypes): GraphForm =>
  hasForm(document) ? readForm(document) : appForm(document, payload, types)

/** Stays also when it is empty, because it replaces that of App Mode. */
export const withForm = (document: WorkflowDocument, form: GraphForm): WorkflowDocument =>
  writeForm(document, form, appOf(document) !== undefined)

function appOf({ extra }: Pick<WorkflowDocument, 'extra'>): JsonObject | undefined {
  const app = isObject(extra) ? extra.get('linearData') : undefined
  return isObject(app) ? app : undefined
}

/** Entries that lead to nothing in the payload are left out. */
function appForm(document: WorkflowDocument, payload: JsonObject, types: NodeTypes): GraphForm {
  const app = appOf(document)
  let form: GraphForm = { parameters: [], results: [] }
  if (app === undefined) return form
  const ids = [...payload.keys()]
  // Inside a subgraph, a node has the id that it has there.
  const payloadId = (id: string) => (payload.has(id) ? id : ids.find((one) => one.endsWith(`:${id}`)))
  for (const entry of arrayAt(app, 'inputs')) {
    const [whole, widget] = isArray(entry) ? [asId(entry[0]), asText(entry[1])] : []
    if (whole === undefined || widget === undefined) continue
    const id = nodeIdOf(whole, widget)
    const found = payloadId(id)
    const target = found === undefined ? insideHost(document, id, widget) : { node: found, input: widget }
    if (target === undefined || parameterOf(form, target.node, target.input) !== undefined) continue
    const suggestion = suggestParameter(payload, types, { ...target, name: freeParameterName(widget, form) })
    if ('parameter' in suggestion) form = { ...form, parameters: [...form.parameters, suggestion.parameter] }
  }
  const results = arrayAt(app, 'outputs').flatMap((id) => payloadId(asId(id) ?? '') ?? [])
  return { ...form, results }
}

// Newer pages write `GRAPH:NODE:WIDGET`.
function nodeIdOf(whole: string, widget: string): string {
  const [, id] = /^[\da-f-]{36}:(.+)$/i.exec(whole) ?? []
  return id?.endsWith(`:${widget}`) === true ? id.slice(0, -widget.length - 1) : whole
}

function insideHost(document: WorkflowDocument, host: string, shown: string) {
  const definitions = subgraphsOf(document)
  const found = whereIs(document, host)
  const path = [...(found?.path ?? [])]
  let [at, id, widget] = [found?.at, found?.node, shown]
  for (let depth = 0; id !== undefined && depth < SUBGRAPH_DEPTH_MAX; depth += 1) {
    const graph = graphAt(document, at)
    const node = graph && nodeById(graph, id)
    const definition = definitions.get(node?.type ?? '')
    if (node === undefined) return undefined
    if (definition === undefined) return { node: payloadIdOf(document, path, id), input: widget }
    const inner = findPromoted(promotedWidgets(node, definition), widget)?.inner
    path.push(id)
    at = definition.id
    id = inner?.node
    widget = inner?.widget ?? ''
  }
  return undefined
}
