/**
 * A sweep: one graph run over lists and ranges of values, each combination (grid) or the first with the first and so on
 * (pairs). Source: image-workflows, Published graphs.
 */
import type { SweepCell } from '../../../contract/workflows.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import { withInput } from './fill-payload.ts'

/** An input that changes from run to run, with its values. */
export type SweepAxis = {
  readonly node: string
  readonly input: string
  /** What its label says: `seed`. */
  readonly name: string
  readonly values: readonly JsonValue[]
}

/** One run of a sweep. */
export type SweepRun = { readonly payload: JsonObject; readonly label: string; readonly cell: SweepCell }

/** How axes are put together. */
export type SweepKind = SweepCell['kind']

/** The number of runs that a sweep has. */
export function sweepCount(axes: readonly SweepAxis[], kind: SweepKind): number {
  const lengths = axes.map(({ values }) => values.length)
  if (lengths.length === 0) return 0
  return kind === 'grid' ? lengths.reduce((product, length) => product * length, 1) : Math.min(...lengths)
}

/** The runs of a sweep, the last axis changing first. Ask `sweepCount` before: a grid grows fast. */
export function sweepRuns(payload: JsonObject, axes: readonly SweepAxis[], kind: SweepKind): readonly SweepRun[] {
  return Array.from({ length: sweepCount(axes, kind) }, (_, at) => {
    const places = kind === 'pairs' ? axes.map(() => at) : placesAt(axes, at)
    const chosen = axes.map((axis, n) => ({ axis, at: places[n] ?? 0, value: axis.values[places[n] ?? 0] ?? null }))
    const filled = chosen.reduce((now, { axis, value }) => withInput(now, axis.node, axis.input, value), payload)
    const named = chosen.map(({ axis, at, value }) => ({ name: axis.name, text: valueText(value), at }))
    const label = named.map(({ name, text }) => `${name} ${text}`).join(', ')
    return { payload: filled, label, cell: { kind, axes: named } }
  })
}

function placesAt(axes: readonly SweepAxis[], at: number): readonly number[] {
  const places: number[] = []
  let rest = at
  for (const { values } of axes.toReversed()) {
    places.unshift(rest % values.length)
    rest = Math.floor(rest / values.length)
  }
  return places
}

const LABEL_LENGTH = 60

function valueText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : writeJson(value)
  return text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text
}

/** The values of a range, or why there is none. */
export type Range = { readonly values: readonly JsonValue[] } | { readonly why: string }

/**
 * The values of a range like `1..10`, `0.5..1 step 0.1` or `10..1 step -3`, both ends included where the steps meet them.
 * Whole numbers are counted exactly, also above 2^53.
 * @param most no range has more values
 */
export function rangeValues(text: string, most: number): Range {
  const match = /^\s*(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)\s*(?:step\s*(-?[\d.]+)\s*)?$/.exec(text)
  if (match === null) return { why: 'write a range like 1..10 or 0.5..1 step 0.1' }
  const [, from = '', to = '', step] = match
  const parts = [from, to, step ?? (Number(from) <= Number(to) ? '1' : '-1')]
  if (parts.some((part) => !/^-?\d+(?:\.\d+)?$/.test(part))) return { why: 'its ends and its step must be numbers' }
  const places = Math.max(...parts.map((part) => part.split('.')[1]?.length ?? 0))
  const [first, last, by] = parts.map((part) => scaled(part, places)) as [bigint, bigint, bigint]
  if (by === 0n) return { why: 'its step must not be 0' }
  if ((last - first) * by < 0n) return { why: 'its step leads away from its end' }
  const count = (last - first) / by + 1n
  if (count > BigInt(most)) return { why: `has ${count} values, and at most ${most} are possible` }
  return { values: Array.from({ length: Number(count) }, (_, at) => unscaled(first + by * BigInt(at), places)) }
}

function scaled(text: string, places: number): bigint {
  const [whole = '0', rest = ''] = text.split('.')
  return BigInt(`${whole}${rest.padEnd(places, '0')}`)
}

function unscaled(value: bigint, places: number): JsonValue {
  if (places === 0) return jsonNumber(value)
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
  return { number: value < 0n && text !== '0' ? `-${text}` : text }
}
