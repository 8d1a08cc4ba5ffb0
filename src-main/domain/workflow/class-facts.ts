/**
 * The facts of classes of nodes, out of the answer of `GET /object_info`: names, types, values and what says how a widget
 * behaves. Texts that explain are left to the server, and so are the lists of files that one machine has. Source: editor
 * research, 5.
 */
import { directoryOfInput, MODEL_FILE } from '../models/layout.ts'
import { isArray, isObject, type JsonObject, type JsonValue } from './json/value.ts'

// Of a class. Its description, tooltips, words to find it by and prices are texts of others.
const CLASS_KEYS = [
  ...['input', 'input_order', 'is_input_list', 'output', 'output_is_list', 'output_name', 'output_matchtypes'],
  ...['name', 'display_name', 'category', 'python_module', 'output_node', 'has_intermediate_output'],
  ...['deprecated', 'experimental', 'dev_only', 'api_node'],
]
// As good as said where they are missing.
const FLAGS = ['is_input_list', 'has_intermediate_output', 'deprecated', 'experimental', 'dev_only', 'api_node']
// Of an input.
const TEXTS = ['tooltip', 'placeholder', 'description', 'help', 'price_badge']

/** The facts of classes. @param classes class name -> definition; entries that are none are left out */
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
  // A hidden input is a name alone.
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

// Where inputs hold inputs: choices that bring some along, and templates of inputs that grow or are slots.
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

// A loader lists more than files: `pixel_space` of VAEs, `none`, folders of the input folder.
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
