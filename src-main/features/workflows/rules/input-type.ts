import { asText } from '../../../lib/json/plain.ts'
import type { JsonArray, JsonObject } from '../../../lib/json/value.ts'

export type PageWidget = {
  readonly isStored: boolean
  readonly isSent: boolean
}

export type InputType = {
  readonly name: string
  readonly isRequired: boolean
  /** `INT`, `MODEL`, `*`, `A,B` ...; `COMBO` for a choice. */
  readonly type: string
  readonly choices: JsonArray | undefined
  readonly options: JsonObject
  /** A widget that only ComfyUI's editor draws; missing: the class declares it. */
  readonly page?: PageWidget
}

export type ValueSlot = { readonly name: string; readonly kind: 'input' | 'control' | 'filter' }

export type StoredSlot = ValueSlot & { readonly at: number }

export const takesSeveral = ({ options }: Pick<InputType, 'options'>): boolean =>
  options.has('multi_select') || options.get('multiselect') === true

const UPLOADS = ['image_upload', 'video_upload', 'animated_image_upload', 'audio_upload', 'mesh_upload', 'file_upload']

export const takesFile = ({ options }: Pick<InputType, 'options'>): boolean =>
  UPLOADS.some((key) => options.get(key) === true)

/** Option of a choice whose list is a suggestion: its worker takes other values too. Source: ours. */
export const OPEN_LIST = 'drydock.open'

export const takesOthers = ({ choices = [], options }: InputType): boolean =>
  choices.length === 0 || options.has('remote') || options.get(OPEN_LIST) === true

const WIDGET_TYPES = new Set([
  ...['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO', 'COLOR', 'COLORS', 'BOUNDING_BOX', 'BOUNDING_BOXES', 'CURVE'],
  ...['RANGE', 'CHART', 'PAINTER', 'TEXTAREA', 'MARKDOWN', 'GALLERIA', 'IMAGECOMPARE', 'COMFY_DYNAMICCOMBO_V3'],
  ...['LOAD_3D', 'AUDIO_RECORD', 'WEBCAM', 'COMPOSITOR', 'PAGE'],
])

/** Whether a type is set on the node; for a type of several names, the options say so. */
export const hasWidgetType = ({ type, options }: Pick<InputType, 'type' | 'options'>): boolean =>
  WIDGET_TYPES.has(asText(options.get('widgetType')) ?? type)

export const isWidget = (input: InputType): boolean => hasWidgetType(input) && input.options.get('forceInput') !== true

/**
 * Matches like the editor: `*` fits all, comma lists need a common member, ignoring case. Source: docs/spec/comfyui.md,
 * 5.
 */
export function typesFit(one: string, other: string): boolean {
  if (isAny(one) || isAny(other) || one === other) return true
  const others = new Set(members(other))
  return members(one).some((member) => others.has(member))
}

/** Type of a slot that follows the links of other slots of its node; files do not store it. */
export const MATCHING = 'COMFY_MATCHTYPE_V3'

export const isAny = (type: string): boolean => type === '*' || type === '' || type === MATCHING

const members = (type: string): readonly string[] => type.split(',').map((member) => member.trim().toLowerCase())
