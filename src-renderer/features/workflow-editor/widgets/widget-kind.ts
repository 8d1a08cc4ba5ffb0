import { defaultValue as firstValue } from '../../../../src-main/features/workflows/rules/default-values.ts'
import { type InputType, takesFile } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { WidgetView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { isArray, isObject, type JsonValue, sameJson, writeJson } from '../../../../src-main/lib/json/value.ts'

export type WidgetKind = 'number' | 'text' | 'lines' | 'choice' | 'file' | 'switch' | 'colour' | 'control' | 'json'

export const takesPicture = ({ input }: Pick<WidgetView, 'input'>): boolean =>
  input?.options.get('image_upload') === true

export const takesLines = ({ type, options }: Pick<InputType, 'type' | 'options'>): boolean =>
  type === 'TEXTAREA' || type === 'MARKDOWN' || (type === 'STRING' && options.get('multiline') === true)

export const isListUnknown = (input: InputType): boolean =>
  input.type === 'COMBO' && input.choices?.length === 0 && !takesFile(input)

export function widgetKind({ kind, value }: WidgetView, input: InputType): WidgetKind {
  if (kind === 'control') return 'control'
  if (kind === 'filter') return 'text'
  if (isNotOf(input.type, value)) return 'json'
  if (takesLines(input)) return 'lines'
  if (input.type === 'COMBO' && takesFile(input)) return 'file'
  if (isListUnknown(input) && !isArray(value)) return 'text'
  return KINDS.get(input.type) ?? 'json'
}

const KINDS: ReadonlyMap<string, WidgetKind> = new Map<string, WidgetKind>([
  ['INT', 'number'],
  ['FLOAT', 'number'],
  ['BOOLEAN', 'switch'],
  ['COMBO', 'choice'],
  ['COMFY_DYNAMICCOMBO_V3', 'choice'],
  ['STRING', 'text'],
  ['COLOR', 'colour'],
])

// A control must not destroy a value that it cannot show.
function isNotOf(type: string, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (isObject(value)) return true
  if (isArray(value)) return type !== 'COMBO'
  if (type === 'BOOLEAN') return typeof value !== 'boolean'
  return typeof value === 'boolean' && type !== 'COMBO'
}

export function widgetLabel({ name, label, kind, input }: WidgetView): string {
  const shown = label === undefined || label === '' ? name : label
  if (kind === 'control') return `${shown} after each run`
  if (kind === 'filter') return `${shown} filter`
  if (shown !== name) return shown
  const given = input?.options.get('display_name')
  return typeof given === 'string' && given !== '' ? given : name
}

export function widgetHelp({ kind, input }: WidgetView): string | undefined {
  const given = input?.options.get('tooltip')
  return kind === 'input' && typeof given === 'string' && given !== '' ? given : undefined
}

export function defaultValue({ kind, input }: WidgetView): JsonValue | undefined {
  if (input === undefined || kind !== 'input') return undefined
  return input.options.has('default') || (input.choices?.length ?? 0) > 0 ? firstValue(input) : undefined
}

export type Choice = {
  readonly value: JsonValue
  readonly word: string
  readonly detail?: string | undefined
}

export const choiceText = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : writeJson(value)

export function choicesOf({ choices, options }: InputType): readonly Choice[] {
  const listed = options.get('options')
  const values =
    choices ?? (isArray(listed) ? listed.map((one) => (isObject(one) ? (one.get('key') ?? null) : one)) : [])
  return values.map((value) => ({ value, word: choiceText(value) }))
}

export function findChoices(choices: readonly Choice[], search: string): readonly Choice[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return choices
  const parts = wanted.split(/\s+/)
  const found = choices.filter(({ word }) => {
    const lower = word.toLowerCase()
    return parts.every((part) => lower.includes(part))
  })
  const begins = ({ word }: Choice) => word.toLowerCase().startsWith(wanted)
  return [...found.filter(begins), ...found.filter((one) => !begins(one))]
}

export function withChoice(value: JsonValue | undefined, choice: JsonValue): JsonValue {
  const chosen = isArray(value) ? value : value === undefined || value === '' ? [] : [value]
  const without = chosen.filter((one) => !sameJson(one, choice))
  return without.length < chosen.length ? without : [...chosen, choice]
}

export const isChosen = (value: JsonValue | undefined, choice: JsonValue): boolean =>
  isArray(value) ? value.some((one) => sameJson(one, choice)) : sameJson(value, choice)

export type WidgetSize = 'node' | 'panel'

export type ControlProps = {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly widget: WidgetView
  readonly input: InputType
  readonly size: WidgetSize
  readonly isWrong: boolean
  readonly problemId: string | undefined
  readonly set: (value: JsonValue) => void
  readonly write: (value: JsonValue) => void
  readonly end: () => void
}

const ON_NODE =
  'flex h-5 min-w-0 items-center gap-1 rounded-control border border-line bg-surface-2 px-1.5 text-small focus-within:border-accent has-aria-invalid:border-failed'
const IN_PANEL =
  'flex h-7 min-w-0 items-center gap-1 rounded-control border border-line-strong bg-surface-1 px-2 focus-within:border-accent has-aria-invalid:border-failed'

export const frameOf = (size: WidgetSize): string => (size === 'node' ? ON_NODE : IN_PANEL)
