/** Which control a widget gets, and under what name. */
import { defaultValue as firstValue } from '../../../../src-main/domain/workflow/default-values.ts'
import type { InputType } from '../../../../src-main/domain/workflow/input-type.ts'
import { isArray, isNumber, isObject, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import type { WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'

/** A control. `json` is for whatever has none of its own: its JSON as text. */
export type WidgetKind = 'number' | 'text' | 'lines' | 'choice' | 'file' | 'switch' | 'colour' | 'control' | 'json'

// Longer ones are written by a person, like a prompt.
const ONE_LINE = 80

const UPLOADS = ['image_upload', 'video_upload', 'audio_upload', 'animated_image_upload', 'mesh_upload', 'file_upload']

/** Whether an input is the name of a file that is sent along: its picture stands below the name. */
export const takesFile = ({ options }: InputType): boolean => UPLOADS.some((key) => options.get(key) === true)

/** Whether a widget names a picture that is sent along. */
export const takesPicture = ({ input }: Pick<WidgetView, 'input'>): boolean =>
  input?.options.get('image_upload') === true

/** Whether an input is a text of several lines. */
export const takesLines = ({ type, options }: Pick<InputType, 'type' | 'options'>): boolean =>
  type === 'TEXTAREA' || type === 'MARKDOWN' || (type === 'STRING' && options.get('multiline') === true)

/** Whether an input is one of a list, and nobody here knows the list: its value is typed. */
export const isListUnknown = (input: InputType): boolean =>
  input.type === 'COMBO' && input.choices?.length === 0 && !takesFile(input)

/** The control of a widget. */
export function widgetKind({ kind, value }: WidgetView, input: InputType): WidgetKind {
  if (kind === 'control') return 'control'
  if (kind === 'filter') return 'text'
  if (isNotOf(input.type, value)) return 'json'
  if (takesLines(input)) return 'lines'
  switch (input.type) {
    case 'INT':
    case 'FLOAT':
      return 'number'
    case 'BOOLEAN':
      return 'switch'
    case 'COMBO':
      if (takesFile(input)) return 'file'
      return isListUnknown(input) && !isArray(value) ? 'text' : 'choice'
    case 'COMFY_DYNAMICCOMBO_V3':
      return 'choice'
    case 'STRING':
      return 'text'
    case 'COLOR':
      return 'colour'
    default:
      return 'json'
  }
}

// A value that the control of its type could not show would be lost at the first touch.
function isNotOf(type: string, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (isObject(value)) return true
  if (isArray(value)) return type !== 'COMBO'
  if (type === 'BOOLEAN') return typeof value !== 'boolean'
  return typeof value === 'boolean' && type !== 'COMBO'
}

/**
 * What a value lets guess of its input, where nobody knows the class. A number may be any number; a whole one steps by one.
 */
export function guessInput(name: string, value: JsonValue | undefined): InputType {
  const guess = (type: string, key?: string, option?: JsonValue): InputType => {
    const options = new Map(key === undefined || option === undefined ? [] : [[key, option]])
    return { name, isRequired: true, type, choices: undefined, options }
  }
  if (isNumber(value)) return /^-?\d+$/.test(value.number) ? guess('FLOAT', 'step', { number: '1' }) : guess('FLOAT')
  if (typeof value === 'boolean') return guess('BOOLEAN')
  if (typeof value !== 'string') return guess('*')
  return value.includes('\n') || value.length > ONE_LINE ? guess('STRING', 'multiline', true) : guess('STRING')
}

/** The words for a widget: what its class calls it, else its name. */
export function widgetLabel({ name, label, kind, input }: WidgetView): string {
  const shown = label === undefined || label === '' ? name : label
  if (kind === 'control') return `${shown} after each run`
  if (kind === 'filter') return `${shown} filter`
  if (shown !== name) return shown
  const given = input?.options.get('display_name')
  return typeof given === 'string' && given !== '' ? given : name
}

/** What the class says about an input; undefined where it says nothing. */
export function widgetHelp({ kind, input }: WidgetView): string | undefined {
  const given = input?.options.get('tooltip')
  return kind === 'input' && typeof given === 'string' && given !== '' ? given : undefined
}

/** The value that the class gives it at first; undefined where it says none. */
export function defaultValue({ kind, input }: WidgetView): JsonValue | undefined {
  if (input === undefined || kind !== 'input') return undefined
  return input.options.has('default') || (input.choices?.length ?? 0) > 0 ? firstValue(input) : undefined
}
