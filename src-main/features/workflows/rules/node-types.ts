/**
 * Facts of classes of nodes: the response of `GET /object_info`, or a file of that form. Source:
 * docs/spec/image-workflows.md, 3; docs/spec/comfyui.md, 5.
 */

import { asText } from '../../../lib/json/plain.ts'
import { arrayAt, isArray, isObject, type JsonObject, type JsonValue, withKey } from '../../../lib/json/value.ts'
import { type InputType, isWidget, MATCHING, OPEN_LIST, type PageWidget, type StoredSlot } from './input-type.ts'

/** Values that a worker suggests, by class and input. It accepts others too. */
export type ProposedLists = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/**
 * Fills empty lists.
 * @param raw class name -> definition
 * @param lists the first value is the default of new nodes
 */
export function withLists(raw: JsonObject, lists: ProposedLists): JsonObject {
  return new Map([...raw].map(([name, type]) => [name, isObject(type) ? withListsOf(type, lists[name] ?? {}) : type]))
}

function withListsOf(type: JsonObject, lists: Readonly<Record<string, readonly string[]>>): JsonObject {
  const inputs = objectAt(type, 'input')
  const named = NEEDS.flatMap((need) => {
    const group = objectAt(inputs, need)
    const changed = [...group].map(([name, input]): readonly [string, JsonValue] => {
      return [name, withList(readInput(name, input, true), input, lists[name])]
    })
    return group.size === 0 ? [] : [[need, new Map(changed)] as const]
  })
  return withKey(type, 'input', new Map([...inputs, ...named]))
}

function withList({ choices, options }: InputType, raw: JsonValue, list: readonly string[] | undefined): JsonValue {
  if (list === undefined || choices === undefined || choices.length > 0) return raw
  return [[...list], withKey(options, OPEN_LIST, true)]
}

export type OutputType = { readonly name: string; readonly type: string; readonly isList: boolean }

export type NodeType = {
  readonly name: string
  readonly displayName: string
  readonly category: string
  readonly description: string
  readonly inputs: readonly InputType[]
  readonly outputs: readonly OutputType[]
  /** Whether a run of it alone has a result, like a saved picture. */
  readonly isOutput: boolean
  readonly raw: JsonObject
  /** Known, but not to the endpoint that was asked. */
  readonly isElsewhere?: true
  /** Slots of a node that names more values than its class has; undefined: the slots follow from the inputs. */
  readonly storedAs?: readonly StoredSlot[]
}

export type NodeTypes = ReadonlyMap<string, NodeType>

/** Adds classes that the endpoint lacks, because they name the values and fields of nodes. */
export function withOthers(types: NodeTypes, others: NodeTypes): NodeTypes {
  const elsewhere = [...others].flatMap(([name, type]): readonly [string, NodeType][] =>
    types.has(name) ? [] : [[name, { ...type, isElsewhere: true }]],
  )
  return new Map([...types, ...elsewhere])
}

export function typesHere(types: NodeTypes): NodeTypes {
  const known = here.get(types) ?? new Map([...types].filter(([, { isElsewhere }]) => isElsewhere === undefined))
  here.set(types, known)
  return known
}

// Only a cache: each edit checks the graph.
const here = new WeakMap<NodeTypes, NodeTypes>()

export function readNodeTypes(raw: JsonObject): NodeTypes {
  return new Map([...raw].flatMap(([name, value]) => (isObject(value) ? [[name, readNodeType(name, value)]] : [])))
}

function readNodeType(name: string, raw: JsonObject): NodeType {
  return {
    name,
    displayName: asText(raw.get('display_name')) ?? name,
    category: asText(raw.get('category')) ?? '',
    description: asText(raw.get('description')) ?? '',
    inputs: withPageWidgets(name, inputsOf(raw), isWidget),
    outputs: readOutputs(raw),
    isOutput: raw.get('output_node') === true,
    raw,
  }
}

const NEEDS = ['required', 'optional'] as const
const NOTHING: JsonObject = new Map()

/**
 * In display order.
 * @param raw with `input` and `input_order`
 */
export function inputsOf(raw: JsonObject): readonly InputType[] {
  const all = objectAt(raw, 'input')
  const order = objectAt(raw, 'input_order')
  return NEEDS.flatMap((need) => {
    const inputs = objectAt(all, need)
    const ordered = order.get(need)
    const first = isArray(ordered) ? ordered.flatMap((one) => (typeof one === 'string' ? [one] : [])) : []
    const names = new Set([...first.filter((one) => inputs.has(one)), ...inputs.keys()])
    return [...names].map((name) => readInput(name, inputs.get(name), need === 'required'))
  })
}

function readInput(name: string, raw: JsonValue | undefined, isRequired: boolean): InputType {
  const [type, more] = isArray(raw) ? raw : []
  const options = isObject(more) ? more : NOTHING
  const listed = isArray(type) ? type : options.get('options')
  const choices = isArray(type) || type === 'COMBO' ? (isArray(listed) ? listed : []) : undefined
  const typeName = choices === undefined ? plainType(asText(type), options) : 'COMBO'
  return { name, isRequired, type: typeName, choices, options }
}

// Types that follow other links fit what their template allows.
function plainType(type: string | undefined, options: JsonObject): string {
  if (type !== MATCHING) return type ?? '*'
  const allowed = asText(objectAt(options, 'template').get('allowed_types'))
  return allowed === undefined || allowed === '' ? '*' : allowed
}

function readOutputs(raw: JsonObject): readonly OutputType[] {
  const types = arrayAt(raw, 'output')
  const names = arrayAt(raw, 'output_name')
  const lists = arrayAt(raw, 'output_is_list')
  return types.map((type, at) => {
    const typeName = isArray(type) ? 'COMBO' : type === MATCHING ? '*' : (asText(type) ?? '*')
    return { name: asText(names[at]) ?? typeName, type: typeName, isList: lists[at] === true }
  })
}

export function objectAt(raw: JsonObject, key: string): JsonObject {
  const value = raw.get(key)
  return isObject(value) ? value : NOTHING
}

// Widgets that the public editor adds: they count in stored values, and most are sent. Source: ours, compared with the
// editor's page by test/comfy.
const BUTTON: PageWidget = { isStored: true, isSent: true }
const PART: PageWidget = { isStored: true, isSent: false }

type Added = readonly [name: string, value: JsonValue, page: PageWidget]

// A camera and a rendering of the model; the page fills it in when it draws.
const VIEW_OF_MODEL: Added = ['image', '', BUTTON]

/** By class: the input after which its widgets come, undefined for after all, and the widgets. */
const OF_CLASS: Readonly<Record<string, { readonly after?: string; readonly added: readonly Added[] }>> = {
  Load3D: {
    after: 'model_file',
    added: [
      ['upload 3d model', 'upload3dmodel', BUTTON],
      ['upload extra resources', 'uploadExtraResources', BUTTON],
      ['clear', 'clear', BUTTON],
    ],
  },
  Preview3D: { added: [VIEW_OF_MODEL] },
  SaveGLB: { added: [VIEW_OF_MODEL] },
  WebcamCapture: { added: [['waiting for camera...', 'capture', PART]] },
}

const AFTER_TYPE: Readonly<Record<string, (own: JsonValue | undefined) => readonly Added[]>> = {
  AUDIO_RECORD: () => [['record', '', PART]],
  BOUNDING_BOX: (own) =>
    ['x', 'y', 'width', 'height'].map((side) => [side, (isObject(own) ? own.get(side) : undefined) ?? null, PART]),
}

/** @param isWidget true for an input set on the node */
function withPageWidgets(
  className: string,
  inputs: readonly InputType[],
  isWidget: (input: InputType) => boolean,
): readonly InputType[] {
  const ofClass = Object.hasOwn(OF_CLASS, className) ? OF_CLASS[className] : undefined
  const added = inputs.flatMap((input) => [
    input,
    ...(isWidget(input) ? afterInput(input) : []),
    ...(ofClass?.after === input.name ? ofClass.added.map(pageInput) : []),
  ])
  const last = ofClass === undefined || ofClass.after !== undefined ? [] : ofClass.added
  return [...added, ...[...last, ...uploads(inputs)].map(pageInput)]
}

// A list of uploadable files has a button after all widgets.
const WITH_BUTTON = ['image_upload', 'video_upload', 'animated_image_upload', 'audio_upload']

function uploads(inputs: readonly InputType[]): readonly Added[] {
  const lists = inputs.filter(({ type, isRequired }) => type === 'COMBO' && isRequired)
  const key = WITH_BUTTON.find((one) => lists.some(({ options }) => options.get(one) === true))
  return key === undefined ? [] : [['upload', key === 'audio_upload' ? '' : 'image', PART]]
}

function afterInput(input: InputType): readonly InputType[] {
  const ofType = Object.hasOwn(AFTER_TYPE, input.type) ? AFTER_TYPE[input.type] : undefined
  const parts = (ofType?.(input.options.get('default')) ?? []).map(([name, value, page]): Added => {
    return [`${input.name}.${name}`, value, page]
  })
  return [...parts, ...afterRemote(input.options)].map(pageInput)
}

// A list loaded from a URL has a button.
function afterRemote(options: JsonObject): readonly Added[] {
  const remote = options.get('remote')
  if (!isObject(remote) || remote.get('refresh_button') !== true) return []
  return [
    ['Auto-refresh after generation', false, PART],
    ['refresh', 'refresh', BUTTON],
  ]
}

function pageInput([name, value, page]: Added): InputType {
  return { name, isRequired: false, type: 'PAGE', choices: undefined, options: new Map([['default', value]]), page }
}

export function customComboWidgets(hasValue: (at: number) => boolean): readonly InputType[] {
  const inputs = [pageInput(['index', { number: '0' }, BUTTON])]
  do inputs.push(ownEntry(inputs.length))
  while (inputs.length < ENTRIES_MAX && hasValue(inputs.length))
  return inputs
}

const ownEntry = (at: number): InputType => {
  const options = new Map<string, JsonValue>([['default', '']])
  return { name: `option${at}`, isRequired: false, type: 'STRING', choices: undefined, options }
}

// More than anybody types; a document may claim any number. Source: ours.
const ENTRIES_MAX = 1000
