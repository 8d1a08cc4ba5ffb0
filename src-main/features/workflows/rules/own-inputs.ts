import { isNumber, type JsonValue } from '../../../lib/json/value.ts'
import type { GraphNode } from './document/document.ts'
import { hasWidgetType, type InputType } from './input-type.ts'

// Maximum characters of one line; longer values are written by a person, like a prompt.
const ONE_LINE = 80

const FIELD_TYPES: ReadonlySet<string> = new Set(['INT', 'FLOAT', 'BOOLEAN', 'COMBO', 'COLOR'])

/** @returns undefined if the value shows its kind better than the slot does */
export function inputOfSlot({ inputs }: GraphNode, name: string): InputType | undefined {
  const type = inputs.items.find(({ widget }) => widget === name)?.type ?? ''
  if (!FIELD_TYPES.has(type)) return undefined
  return { name, isRequired: false, type, choices: type === 'COMBO' ? [] : undefined, options: new Map() }
}

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

/** Always a widget, whatever its type. */
export function inputOfValue(node: GraphNode, name: string, value: JsonValue): InputType {
  const input = inputOfSlot(node, name) ?? { ...guessInput(name, value), isRequired: false }
  return hasWidgetType(input) ? input : { ...input, options: new Map([['widgetType', 'PAGE']]) }
}
