import type { GraphParameter } from '../../../contract/published.ts'
import type { JsonValue } from '../json/value.ts'
import { faultOf } from './parameter-values.ts'
import { rangeValues, type SweepAxis } from './sweep.ts'

/** An axis as it is written down: which input, and its values as text. */
export type AxisDraft = { readonly parameter: GraphParameter; readonly text: string }

/** An axis, or what is wrong with its text. */
export type ReadAxis = { readonly axis: SweepAxis } | { readonly why: string }

/** Most values of one axis. Source: ours, as a contact sheet of more is not looked at. */
const MOST_VALUES = 200

/**
 * Reads the values of an axis: a range of numbers, else one value a line; numbers and choices may also stand on one line
 * with commas between them.
 */
export function readAxis({ parameter, text }: AxisDraft): ReadAxis {
  const { node, input, name, type } = parameter
  const isNumeric = type === 'integer' || type === 'number'
  if (isNumeric && text.includes('..')) {
    const range = rangeValues(text, MOST_VALUES)
    return 'why' in range ? { why: `The range ${range.why}.` } : checked(parameter, range.values)
  }
  const pieces = type === 'string' ? text.split('\n') : text.split(/[\n,]/)
  const words = pieces.map((piece) => piece.trim()).filter((piece) => piece !== '')
  if (words.length === 0) return { why: `Give values for ${name} (${input} of node ${node}).` }
  if (words.length > MOST_VALUES) return { why: `${words.length} values are too many; at most ${MOST_VALUES}.` }
  return checked(
    parameter,
    words.map((word) => wordValue(type, word)),
  )
}

function wordValue(type: GraphParameter['type'], word: string): JsonValue {
  if (type === 'boolean') return word === 'true' ? true : word === 'false' ? false : word
  const isNumber = (type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)
  return isNumber ? { number: word } : word
}

function checked(parameter: GraphParameter, values: readonly JsonValue[]): ReadAxis {
  const { node, input, name } = parameter
  for (const value of values) {
    const why = faultOf(parameter, value)
    if (why !== undefined) return { why: `A value ${why}.` }
  }
  return { axis: { node, input, name, values } }
}
