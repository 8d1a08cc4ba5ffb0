/** Advances a widget by its control; integers are exact up to 2^64-1 and beyond. Source: docs/spec/comfyui.md, 2.3. */

import { asText } from '../../../../lib/json/plain.ts'
import { isNumber, type JsonValue, jsonNumber, sameJson } from '../../../../lib/json/value.ts'
import type { InputType } from '../input-type.ts'
import type { ControlMode } from '../widgets.ts'
import type { Random } from './dynamic-prompts.ts'

// Defaults if a class has none. Source: docs/spec/comfyui.md, 5.
const MIN = '0'
const MAX = '2048'

/**
 * @param filter text or /pattern/ that a choice must match
 * @returns the same value if it cannot advance
 */
export function nextValue(
  value: JsonValue,
  mode: ControlMode,
  {
    input,
    filter,
    random,
  }: { readonly input: InputType; readonly filter?: string | undefined; readonly random: Random },
): JsonValue {
  if (mode === 'fixed') return value
  if (input.choices !== undefined) return nextChoice(value, mode, { choices: allowed(input.choices, filter), random })
  const whole = wholeOf(value)
  if (input.type === 'INT' && whole !== undefined) return nextWhole(whole, mode, input, random)
  if (input.type === 'FLOAT' && isNumber(value)) return nextDecimal(Number(value.number), mode, input, random)
  return value
}

function nextWhole(value: bigint, mode: ControlMode, { options }: InputType, random: Random): JsonValue {
  const min = wholeOf(options.get('min')) ?? BigInt(MIN)
  const max = wholeOf(options.get('max')) ?? BigInt(MAX)
  const step = atLeastOne(wholeOf(options.get('step')) ?? 1n)
  if (max < min) return jsonNumber(value)
  if (mode === 'randomize') return jsonNumber(min + random(0n, (max - min) / step) * step)
  const next = mode === 'decrement' ? value - step : value + step
  if (mode === 'increment-wrap' && next > max) return jsonNumber(min)
  return jsonNumber(next < min ? min : next > max ? max : next)
}

const atLeastOne = (step: bigint): bigint => (step < 1n ? 1n : step)

function nextDecimal(value: number, mode: ControlMode, { options }: InputType, random: Random): JsonValue {
  const number = (key: string, other: string) => {
    const given = options.get(key)
    return finite(Number(isNumber(given) ? given.number : other))
  }
  const [min, max, step] = [number('min', MIN), number('max', MAX), number('step', '0.5')]
  if (!(step > 0) || max < min) return jsonNumber(value)
  const within = (number: number) => jsonNumber(Math.min(max, Math.max(min, rounded(number))))
  if (mode === 'randomize') {
    const steps = Math.min(Number.MAX_SAFE_INTEGER, Math.floor((max - min) / step))
    return within(min + Number(random(0n, BigInt(steps))) * step)
  }
  const next = mode === 'decrement' ? value - step : value + step
  return mode === 'increment-wrap' && rounded(next) > max ? jsonNumber(min) : within(next)
}

// Some classes have a range larger than all numbers.
const finite = (number: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, number))

// 0.1 + 0.2 has to be 0.3: 12 digits are more than any step has.
const rounded = (value: number): number => Number(value.toPrecision(12))

function nextChoice(
  value: JsonValue,
  mode: ControlMode,
  { choices, random }: { readonly choices: readonly JsonValue[]; readonly random: Random },
): JsonValue {
  const at = choices.findIndex((choice) => sameJson(choice, value))
  const last = choices.length - 1
  if (last < 0) return value
  if (mode === 'randomize') return choices[Number(random(0n, BigInt(last)))] ?? value
  if (mode === 'increment-wrap') return choices[at >= last ? 0 : at + 1] ?? value
  return choices[Math.min(last, Math.max(0, mode === 'decrement' ? at - 1 : at + 1))] ?? value
}

function allowed(choices: readonly JsonValue[], filter: string | undefined): readonly JsonValue[] {
  if (filter === undefined || filter === '') return choices
  const pattern = /^\/(.*)\/([a-z]*)$/.exec(filter)
  const matches = pattern === null ? containing(filter) : matching(pattern[1] ?? '', pattern[2] ?? '')
  const left = choices.filter((choice) => matches(asText(choice) ?? ''))
  return left.length === 0 ? choices : left
}

const containing = (filter: string) => (choice: string) => choice.toLowerCase().includes(filter.toLowerCase())

// A pattern may come from an untrusted file, and some never finish. Those with a repeated group, or repetition in many
// positions, are not tried.
const PATTERN_MAX = 200
const REPEATS_MAX = 3
const OPTIONALS_MAX = 10
const countOf = (source: string, sign: RegExp) => source.match(sign)?.length ?? 0
const isQuick = (source: string): boolean =>
  source.length <= PATTERN_MAX &&
  !/\)[*+{]/.test(source) &&
  countOf(source, /[*+{]/g) <= REPEATS_MAX &&
  countOf(source, /\?/g) <= OPTIONALS_MAX

function matching(source: string, flags: string): (choice: string) => boolean {
  if (!isQuick(source)) return () => true
  try {
    const pattern = new RegExp(source, flags.replace(/[gy]/g, ''))
    return (choice) => pattern.test(choice)
  } catch {
    // An invalid pattern lets everything through.
    return () => true
  }
}

function wholeOf(value: JsonValue | undefined): bigint | undefined {
  const text = isNumber(value) ? value.number : asText(value)
  return text !== undefined && /^-?\d{1,40}(\.0{1,40})?$/.test(text) ? BigInt(text.replace(/\.0+$/, '')) : undefined
}

export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void

const BYTE = 8n

/** Uniform over a range such as 0 to 2^64-1, both ends included. */
export function randomWhole([least, most]: readonly [bigint, bigint], fill: FillRandom): bigint {
  const span = most - least + 1n
  // 64 bits more than the range has, so that the bias of the remainder is negligible.
  const bytes = new Uint8Array(Number((BigInt(span.toString(2).length) + BYTE - 1n) / BYTE) + 8)
  fill(bytes)
  const number = bytes.reduce((sum, byte) => (sum << BYTE) | BigInt(byte), 0n)
  return least + (number % span)
}
