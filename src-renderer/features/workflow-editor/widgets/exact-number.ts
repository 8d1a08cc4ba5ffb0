/**
 * Exact widget numbers, kept as text: a double cannot hold a seed of 2^64-1, nor is 0.1 + 0.2 equal to 0.3. Source:
 * docs/spec/image-workflows.md, 2.2.
 */
import type { InputType } from '../../../../src-main/features/workflows/rules/input-type.ts'
import { type FillRandom, randomWhole } from '../../../../src-main/features/workflows/rules/resolve/next-value.ts'
import { isNumber, type JsonNumber, type JsonValue } from '../../../../src-main/lib/json/value.ts'

/** Equals `digits` divided by 10^`scale`. */
type Decimal = { readonly digits: bigint; readonly scale: number }

const INTEGER = /^[+-]?\d{1,40}$/
const DECIMAL = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:e([+-]?\d{1,2}))?$/i
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

// Defaults for classes that name no step. Source: docs/spec/comfyui.md, 5.
const USUAL_STEP = { INT: '1', FLOAT: '0.5' } as const

/** @returns the number as typed if JSON can hold it; undefined if it is not a number */
export function readNumber(typed: string, { type }: Pick<InputType, 'type'>): JsonNumber | undefined {
  const text = typed.trim()
  if (type === 'INT') return INTEGER.test(text) ? { number: BigInt(text.replace('+', '')).toString() } : undefined
  if (JSON_NUMBER.test(text)) return Number.isFinite(Number(text)) ? { number: text } : undefined
  const decimal = readDecimal(text)
  return decimal && { number: writeDecimal(decimal) }
}

/** A number or text as text, because Python converts between them; of anything else an empty one. */
export const valueText = (value: JsonValue | undefined): string =>
  isNumber(value) ? value.number : typeof value === 'string' ? value : ''

/**
 * @param steps negative goes down
 * @returns undefined if the value is not a number
 */
export function stepNumber(value: JsonValue | undefined, input: InputType, steps: number): JsonNumber | undefined {
  const from = readDecimal(valueText(value))
  const step = stepOf(input)
  if (from === undefined || step === undefined) return undefined
  const scale = Math.max(from.scale, step.scale)
  const digits = atScale(from, scale) + atScale(step, scale) * BigInt(Math.trunc(steps))
  return { number: writeDecimal(within({ digits, scale }, input)) }
}

export function offStep(value: JsonValue | undefined, input: InputType): readonly [string, string] | undefined {
  const [number, step] = [readDecimal(valueText(value)), stepOf(input)]
  // Steps of decimals are only for the arrows; those of whole numbers matter to the node, like 8 pixels.
  if (input.type !== 'INT' || number === undefined || step === undefined || step.digits <= 1n) return undefined
  const from = boundOf(input, 'min')?.digits ?? 0n
  const rest = mod(number.digits - from, step.digits)
  if (number.scale > 0 || rest === 0n) return undefined
  return [String(number.digits - rest), String(number.digits - rest + step.digits)]
}

/** The range of a whole number, both ends included. Source of the defaults: docs/spec/comfyui.md, 5. */
export function wholeBounds(input: InputType): readonly [bigint, bigint] {
  const low = boundOf(input, 'min')
  const high = boundOf(input, 'max')
  const least = low === undefined ? 0n : wholePart(low)
  const most = high === undefined ? 2048n : wholePart(high)
  return most < least ? [least, least] : [least, most]
}

function stepOf({ type, options }: InputType): Decimal | undefined {
  const given = readDecimal(valueText(options.get('step')))
  if (given !== undefined && given.digits > 0n) return given
  return readDecimal(USUAL_STEP[type === 'INT' ? 'INT' : 'FLOAT'])
}

function boundOf({ options }: InputType, name: 'min' | 'max'): Decimal | undefined {
  return readDecimal(valueText(options.get(name)))
}

function within(number: Decimal, input: InputType): Decimal {
  const [min, max] = [boundOf(input, 'min'), boundOf(input, 'max')]
  if (min !== undefined && isBelow(number, min)) return min
  return max !== undefined && isBelow(max, number) ? max : number
}

function isBelow(one: Decimal, other: Decimal): boolean {
  const scale = Math.max(one.scale, other.scale)
  return atScale(one, scale) < atScale(other, scale)
}

const atScale = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale)
const wholePart = ({ digits, scale }: Decimal): bigint => digits / 10n ** BigInt(scale)
const mod = (number: bigint, by: bigint): bigint => ((number % by) + by) % by

function readDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole = '', part = '', power = '0'] = DECIMAL.exec(text.trim()) ?? []
  if (whole === '' && part === '') return undefined
  const digits = BigInt(whole + part) * (sign === '-' ? -1n : 1n)
  const scale = part.length - Number(power)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function writeDecimal({ digits, scale }: Decimal): string {
  if (scale === 0) return String(digits)
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const part = text.slice(-scale).replace(/0+$/, '')
  const whole = (digits < 0n ? '-' : '') + text.slice(0, -scale)
  return part === '' ? whole : `${whole}.${part}`
}

const browserChance: FillRandom = (bytes) => void crypto.getRandomValues(bytes)

/** A random integer, exact at any size; both bounds are inclusive. */
export const randomBetween = (least: bigint, most: bigint): bigint => randomWhole([least, most], browserChance)
