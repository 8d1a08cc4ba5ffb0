/**
 * Runs a graph over value lists and ranges, as all combinations (grid) or in step (pairs). Source:
 * docs/spec/image-workflows.md, 7.
 */

import type { GraphParameter } from '../../../../contract/published.ts'
import type { SweepCell } from '../../../../contract/workflows.ts'
import { type JsonObject, type JsonValue, jsonNumber, writeJson } from '../../../../lib/json/value.ts'
import { keepStart } from '../../../../lib/text.ts'
import { valueProblem, withInput } from './parameter-values.ts'

export type SweepAxis = {
  readonly node: string
  readonly input: string
  readonly name: string
  readonly values: readonly JsonValue[]
}

export type SweepRun = { readonly payload: JsonObject; readonly label: string; readonly cell: SweepCell }

export type SweepKind = SweepCell['kind']

export function sweepCount(axes: readonly SweepAxis[], kind: SweepKind): number {
  const lengths = axes.map(({ values }) => values.length)
  if (lengths.length === 0) return 0
  return kind === 'grid' ? lengths.reduce((product, length) => product * length, 1) : Math.min(...lengths)
}

/** The last axis varies first. Check `sweepCount` first, as grids grow fast. */
export function sweepRuns(payload: JsonObject, axes: readonly SweepAxis[], kind: SweepKind): readonly SweepRun[] {
  return Array.from({ length: sweepCount(axes, kind) }, (_, at) => {
    const indexes = kind === 'pairs' ? axes.map(() => at) : indexesAt(axes, at)
    const chosen = axes.map((axis, n) => ({ axis, at: indexes[n] ?? 0, value: axis.values[indexes[n] ?? 0] ?? null }))
    const filled = chosen.reduce((now, { axis, value }) => withInput(now, axis.node, axis.input, value), payload)
    const named = chosen.map(({ axis, at, value }) => ({ name: axis.name, text: valueText(value), at }))
    const label = named.map(({ name, text }) => `${name} ${text}`).join(', ')
    return { payload: filled, label, cell: { kind, axes: named } }
  })
}

function indexesAt(axes: readonly SweepAxis[], at: number): readonly number[] {
  const indexes: number[] = []
  let rest = at
  for (const { values } of axes.toReversed()) {
    indexes.unshift(rest % values.length)
    rest = Math.floor(rest / values.length)
  }
  return indexes
}

const LABEL_LENGTH = 60

function valueText(value: JsonValue): string {
  return keepStart(typeof value === 'string' ? value : writeJson(value), LABEL_LENGTH)
}

export type Range = { readonly values: readonly JsonValue[] } | { readonly why: string }

/**
 * Parses `1..10`, `0.5..1 step 0.1` or `10..1 step -3`, ends included; integers are exact above 2^53.
 * @param most maximum values
 */
export function rangeValues(text: string, most: number): Range {
  const match = /^\s*(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)\s*(?:step\s*(-?[\d.]+)\s*)?$/.exec(text)
  if (match === null) return { why: 'write a range like 1..10 or 0.5..1 step 0.1' }
  const [, from = '', to = '', step] = match
  const parts = [from, to, step ?? (Number(from) <= Number(to) ? '1' : '-1')]
  if (parts.some((part) => !/^-?\d+(?:\.\d+)?$/.test(part))) return { why: 'its ends and its step must be numbers' }
  const decimals = Math.max(...parts.map((part) => part.split('.')[1]?.length ?? 0))
  const [first, last, by] = parts.map((part) => scaled(part, decimals)) as [bigint, bigint, bigint]
  if (by === 0n) return { why: 'its step must not be 0' }
  if ((last - first) * by < 0n) return { why: 'its step leads away from its end' }
  const count = (last - first) / by + 1n
  if (count > BigInt(most)) return { why: `has ${count} values, and the limit is ${most}` }
  return { values: Array.from({ length: Number(count) }, (_, at) => unscaled(first + by * BigInt(at), decimals)) }
}

function scaled(text: string, decimals: number): bigint {
  const [whole = '0', rest = ''] = text.split('.')
  return BigInt(`${whole}${rest.padEnd(decimals, '0')}`)
}

function unscaled(value: bigint, places: number): JsonValue {
  if (places === 0) return jsonNumber(value)
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
  return { number: value < 0n && text !== '0' ? `-${text}` : text }
}

export type AxisDraft = { readonly parameter: GraphParameter; readonly text: string }

type ReadAxis = { readonly axis: SweepAxis } | { readonly why: string }

/** Limit of one axis. Source: ours, because nobody reads a larger sheet. */
const MOST_VALUES = 200

/** A number range, or one value per line; numbers and choices also comma-separated. */
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
  if (words.length > MOST_VALUES) return { why: `${words.length} values are too many; the limit is ${MOST_VALUES}.` }
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
    const why = valueProblem(parameter, value)
    if (why !== undefined) return { why: `A value ${why}.` }
  }
  return { axis: { node, input, name, values } }
}
