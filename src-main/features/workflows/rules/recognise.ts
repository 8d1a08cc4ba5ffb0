/** Recognises the form of a graph in JSON. Source: docs/spec/image-workflows.md, 1 and 4. */
import { isArray, isNumber, isObject, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'
import { readPayloadNode } from './payload.ts'

export type Recognised =
  | { readonly form: 'document'; readonly raw: JsonObject }
  | { readonly form: 'payload'; readonly raw: JsonObject; readonly unwrapped: boolean }
  | { readonly form: 'other'; readonly found: string }

/** Recognises a value. As in requests, a payload may be within `input.workflow`, `workflow` or `prompt`. */
export function recognise(value: JsonValue): Recognised {
  if (!isObject(value)) return { form: 'other', found: kindOf(value) }
  if (isArray(value.get('nodes'))) return { form: 'document', raw: value }
  if (isPayload(value)) return { form: 'payload', raw: value, unwrapped: false }
  const wrapped = within(value, ['input', 'workflow']) ?? within(value, ['workflow']) ?? within(value, ['prompt'])
  if (wrapped !== undefined) {
    if (isArray(wrapped.get('nodes'))) return { form: 'document', raw: wrapped }
    if (isPayload(wrapped)) return { form: 'payload', raw: wrapped, unwrapped: true }
  }
  return { form: 'other', found: value.size === 0 ? 'an empty object' : `an object with ${keysOf(value)}` }
}

/** The graph in a job's input, perhaps wrapped as in a request to ComfyUI: `{"prompt": {...}}`. */
export function workflowOf(input: JsonObject): JsonValue {
  const workflow = input.get('workflow') ?? null
  const recognised = recognise(workflow === null ? input : workflow)
  return recognised.form === 'payload' ? recognised.raw : workflow
}

export const GRAPH_EXPORT_MARK = '{"drydock":"graph"'

/** @param text its start, at least as long as the mark */
export const isGraphExport = (text: string): boolean => text.startsWith(GRAPH_EXPORT_MARK)

function isPayload(value: JsonObject): boolean {
  return [...value].some(([id, node]) => readPayloadNode(id, node) !== undefined)
}

function within(value: JsonObject, path: readonly string[]): JsonObject | undefined {
  const found = path.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at.get(key) : undefined), value)
  return isObject(found) ? found : undefined
}

function kindOf(value: JsonValue): string {
  if (isArray(value)) return 'a list'
  if (value === null) return 'null'
  return isNumber(value) ? 'a number' : typeof value === 'string' ? 'a string' : 'true or false'
}

const KEYS_NAMED = 3
const KEY_LENGTH = 40

function keysOf(value: JsonObject): string {
  const names = [...value.keys()].slice(0, KEYS_NAMED).map((key) => `"${key.slice(0, KEY_LENGTH)}"`)
  return `${names.join(', ')}${value.size > KEYS_NAMED ? ' and more' : ''}`
}
