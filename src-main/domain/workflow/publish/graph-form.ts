/**
 * The form of a graph: which inputs are shown to whoever only wants to use it, and which results. It is kept in the
 * document, under a key of ours that other editors carry along. Source: issue 7, item 2.
 */
import { type GraphParameter, graphParameter } from '../../../contract/published.ts'
import type { WorkflowDocument } from '../document/document.ts'
import { isArray, isObject, type JsonObject, type JsonValue, withKey } from '../json/value.ts'

/** A form. `results`: ids of nodes as the payload has them; none: all results are shown. */
export type GraphForm = { readonly parameters: readonly GraphParameter[]; readonly results: readonly string[] }

const KEY = 'drydock.form'
const EMPTY: GraphForm = { parameters: [], results: [] }
const NOTHING: JsonObject = new Map()

/** Reads the form of a document; what is none of its parameters is left out. */
export function readForm({ extra }: Pick<WorkflowDocument, 'extra'>): GraphForm {
  const form = isObject(extra) ? extra.get(KEY) : undefined
  if (!isObject(form)) return EMPTY
  const parameters = form.get('parameters')
  const found = isArray(parameters) ? parameters.map((one) => graphParameter.safeParse(plain(one))) : []
  const results = form.get('results')
  return {
    parameters: found.flatMap(({ data }) => (data === undefined ? [] : [data])),
    results: isArray(results) ? results.filter((one) => typeof one === 'string') : [],
  }
}

/** The document with another form; an empty one is taken away. */
export function writeForm(document: WorkflowDocument, { parameters, results }: GraphForm): WorkflowDocument {
  const extra = isObject(document.extra) ? document.extra : NOTHING
  const isEmpty = parameters.length + results.length === 0
  if (isEmpty && !extra.has(KEY)) return document
  const form = new Map<string, JsonValue>([
    ['parameters', parameters.map(asJson)],
    ['results', results],
  ])
  return { ...document, extra: withKey(extra, KEY, isEmpty ? undefined : form) }
}

/** Whether two parameters are the same input. */
export const isSameInput = (one: GraphParameter, other: Pick<GraphParameter, 'node' | 'input'>): boolean =>
  one.node === other.node && one.input === other.input

/** The parameter that an input is; undefined: it is not shown. */
export function parameterOf({ parameters }: GraphForm, node: string, input: string): GraphParameter | undefined {
  return parameters.find((one) => isSameInput(one, { node, input }))
}

/** A name like the one that is wanted and unlike those that are taken. */
export function freeParameterName(wanted: string, { parameters }: GraphForm): string {
  const base = wanted
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 60)
  const taken = new Set(parameters.map(({ name }) => name))
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}_${count}`
    if (!taken.has(name)) return name
  }
}

// Its fields are texts and lists of texts.
function plain(value: JsonValue): unknown {
  return isObject(value) ? Object.fromEntries(value) : value
}

function asJson(parameter: GraphParameter): JsonObject {
  const fields = Object.entries(parameter).filter(([, value]) => value !== undefined)
  return new Map(fields as [string, string | string[]][])
}
