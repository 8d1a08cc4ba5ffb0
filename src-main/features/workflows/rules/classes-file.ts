/**
 * Node types as text: `GET /object_info`, or `{"version": "ComfyUI 0.33.0", "types": {...}}`. Source: ours; a version
 * inside would look like a class.
 */

import { faultText, readJson } from '../../../lib/json/parse.ts'
import { isArray, isObject, type JsonObject, type JsonValue, writeJson } from '../../../lib/json/value.ts'
import { directoryOfInput, MODEL_FILE } from '../../models/rules/layout.ts'
import { type NodeTypes, readNodeTypes } from './node-types.ts'

export type ClassesFile = { readonly version: string | undefined; readonly classes: JsonObject }

const EXCERPT = 60

/** @returns the reason, as the end of a sentence, if it has none */
export function readClassesFile(text: string): ClassesFile | string {
  const read = readJson(text, { bare: 'null' })
  if ('fault' in read)
    return `is not valid JSON (${faultText(read.fault)}); it begins with: ${text.trim().slice(0, EXCERPT)}`
  const { value } = read
  const [version, types] = isObject(value) ? [value.get('version'), value.get('types')] : []
  const isFile = typeof version === 'string' && isObject(types)
  const classes = isFile ? types : value
  const isOne = isObject(classes) && [...classes.values()].some((one) => isObject(one) && isObject(one.get('input')))
  if (!isOne) return 'has no node classes: it must look like the response of GET /object_info of a ComfyUI server'
  return { version: isFile ? version : undefined, classes }
}

export function typesIn(text: string): NodeTypes {
  const read = readClassesFile(text)
  return typeof read === 'string' ? new Map() : readNodeTypes(read.classes)
}

/** One class per line, sorted by name, so that versions can be compared. */
export function writeClassesFile({ version = 'not known', classes }: ClassesFile): string {
  const sorted = [...classes].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const lines = sorted.map(([name, type]) => `${JSON.stringify(name)}: ${writeJson(type)}`)
  return `{"version": ${JSON.stringify(version)}, "types": {\n${lines.join(',\n')}\n}}\n`
}

// Keeps facts of classes (names, types, widget behaviour) and drops explanations and local file lists. Source:
// docs/spec/comfyui.md, 5.

const CLASS_KEYS = [
  ...['input', 'input_order', 'is_input_list', 'output', 'output_is_list', 'output_name', 'output_matchtypes'],
  ...['name', 'display_name', 'category', 'python_module', 'output_node', 'has_intermediate_output'],
  ...['deprecated', 'experimental', 'dev_only', 'api_node'],
]
const FLAGS = ['is_input_list', 'has_intermediate_output', 'deprecated', 'experimental', 'dev_only', 'api_node']
const TEXTS = ['tooltip', 'placeholder', 'description', 'help', 'price_badge']

export function classFacts(classes: JsonObject): JsonObject {
  return new Map([...classes].flatMap(([name, raw]) => (isObject(raw) ? [[name, factsOf(name, raw)]] : [])))
}

function factsOf(className: string, raw: JsonObject): JsonObject {
  const facts = CLASS_KEYS.flatMap((key): readonly (readonly [string, JsonValue])[] => {
    const value = raw.get(key)
    if (value === undefined || value === null || (value === false && FLAGS.includes(key))) return []
    return [[key, key === 'input' ? groupsOf(className, value) : value]]
  })
  return new Map(facts)
}

// `{required: {NAME: [TYPE, OPTIONS]}}`, of a class and within options.
function groupsOf(className: string, groups: JsonValue): JsonValue {
  return mapped(groups, (_need, inputs) => mapped(inputs, (name, input) => inputFacts(className, name, input)))
}

function inputFacts(className: string, name: string, input: JsonValue): JsonValue {
  if (!isArray(input)) return input
  const [type = null, given] = input
  const isOfMachine = (list: JsonValue) => isArray(list) && listsFiles(className, name, list, given)
  const options = isObject(given) ? optionFacts(className, given, type === 'COMBO' && isOfMachine) : new Map()
  const facts = isOfMachine(type) ? [] : type
  return options.size === 0 ? [facts] : [facts, options]
}

function optionFacts(
  className: string,
  options: JsonObject,
  isOfMachine: false | ((list: JsonValue) => boolean),
): JsonObject {
  const facts = [...options].flatMap(([key, value]): readonly (readonly [string, JsonValue])[] => {
    if (TEXTS.includes(key)) return []
    if (key === 'options' && isOfMachine !== false) return [[key, isOfMachine(value) ? [] : value]]
    return [[key, nestedFacts(className, key, value)]]
  })
  return new Map(facts)
}

// Nested inputs: choices with own inputs, and templates of growing inputs.
function nestedFacts(className: string, key: string, value: JsonValue): JsonValue {
  const withInputs = (holder: JsonValue, where: string) =>
    mapped(holder, (one, inner) => (one === where ? groupsOf(className, inner) : inner))
  if (key === 'options' && isArray(value)) return value.map((choice) => withInputs(choice, 'inputs'))
  if (key === 'template') return withInputs(value, 'input')
  if (key === 'inputs') return groupsOf(className, value)
  if (key === 'multi_select' && isObject(value)) return new Map([...value].filter(([one]) => !TEXTS.includes(one)))
  return value
}

const mapped = (value: JsonValue, change: (key: string, value: JsonValue) => JsonValue): JsonValue =>
  isObject(value) ? new Map([...value].map(([key, one]) => [key, change(key, one)])) : value

const FILE =
  /\.(?:ya?ml|png|jpe?g|webp|gif|bmp|tiff?|avif|mp4|webm|mkv|mov|mp3|wav|flac|ogg|opus|m4a|glb|gltf|obj|fbx|stl|ply|splat|latent|txt|json|csv|exr|hdr)$/i
const FOLDERS = ['folder', 'folder_name', 'model_path', 'latent', 'existing_lora']

// Loaders also list other values: `pixel_space` of VAEs, `none`, input folders.
function listsFiles(
  className: string,
  input: string,
  list: readonly JsonValue[],
  options: JsonValue | undefined,
): boolean {
  const keys = isObject(options) ? [...options.keys()] : []
  if (keys.some((key) => key.endsWith('_upload') || key === 'remote' || key === 'image_folder')) return true
  if (FOLDERS.includes(input) || directoryOfInput(input, className) !== undefined) return true
  return list.some((one) => typeof one === 'string' && (MODEL_FILE.test(one) || FILE.test(one)))
}
