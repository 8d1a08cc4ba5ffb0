/**
 * Inputs of classes of nodes: sockets, and widgets, whose value is set on the node. Source: docs/spec/comfyui.md, 5.
 */
import { asText, type JsonArray, type JsonObject } from './json/value.ts'

/** What becomes of a widget that the public editor alone draws. */
export type PageWidget = {
  /** Whether it has a slot in the stored values of a node. */
  readonly isStored: boolean
  /** Whether it is part of the payload, under its name. */
  readonly isSent: boolean
}

/** An input of a class. */
export type InputType = {
  readonly name: string
  readonly isRequired: boolean
  /** `INT`, `MODEL`, `*`, `A,B` ...; `COMBO` for a choice. */
  readonly type: string
  /** The values of a choice. Empty where they are files that only the worker knows. */
  readonly choices: JsonArray | undefined
  readonly options: JsonObject
  /** A widget that the public editor alone draws; missing: the class declares it. */
  readonly page?: PageWidget
}

/** Whether several values can be chosen at once. */
export const takesSeveral = ({ options }: Pick<InputType, 'options'>): boolean =>
  options.has('multi_select') || options.get('multiselect') === true

// Options of an input whose value is a file that is sent along.
const UPLOADS = ['image_upload', 'video_upload', 'animated_image_upload', 'audio_upload', 'mesh_upload', 'file_upload']

/** Whether the value of an input is the name of a file that a person gives. */
export const takesFile = ({ options }: Pick<InputType, 'options'>): boolean =>
  UPLOADS.some((key) => options.get(key) === true)

/** Option of a choice whose list is a proposal: its worker takes other values too. Source: ours. */
export const OPEN_LIST = 'drydock.open'

/** Whether the value of a choice may be one that is not in its list, or that no list is known for. */
export const takesOthers = ({ choices = [], options }: InputType): boolean =>
  choices.length === 0 || options.has('remote') || options.get(OPEN_LIST) === true

// Types of inputs that are set on the node unless their options say otherwise.
const WIDGET_TYPES = new Set([
  ...['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO', 'COLOR', 'COLORS', 'BOUNDING_BOX', 'BOUNDING_BOXES', 'CURVE'],
  ...['RANGE', 'CHART', 'PAINTER', 'TEXTAREA', 'MARKDOWN', 'GALLERIA', 'IMAGECOMPARE', 'COMFY_DYNAMICCOMBO_V3'],
  ...['LOAD_3D', 'AUDIO_RECORD', 'WEBCAM', 'COMPOSITOR', 'PAGE'],
])

/** Whether a value of the type of an input is set on the node; a type of several names says as which of them. */
export const hasWidgetType = ({ type, options }: Pick<InputType, 'type' | 'options'>): boolean =>
  WIDGET_TYPES.has(asText(options.get('widgetType')) ?? type)

/** Whether an input is set on the node. */
export const isWidget = (input: InputType): boolean => hasWidgetType(input) && input.options.get('forceInput') !== true

/**
 * Whether an output of one type may be linked to an input of another, as the editor lets a person do: `*` fits all, of
 * comma lists one member must be common, in any case of letters. Source: docs/spec/comfyui.md, 5.
 */
export function typesFit(one: string, other: string): boolean {
  if (isAny(one) || isAny(other) || one === other) return true
  const others = new Set(members(other))
  return members(one).some((member) => others.has(member))
}

/** Type of a slot that follows what is linked to other slots of its node, of which files tell nothing. */
export const MATCHING = 'COMFY_MATCHTYPE_V3'

/** Whether a type fits all. */
export const isAny = (type: string): boolean => type === '*' || type === '' || type === MATCHING

const members = (type: string): readonly string[] => type.split(',').map((member) => member.trim().toLowerCase())
