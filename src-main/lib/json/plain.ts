/**
 * JSON as JavaScript values, for everything but graphs. Objects put keys like "11" first, and `1.0` becomes 1;
 * `parseExact` keeps long integers, like seeds, as bigint.
 */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function plainJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type WithoutUndefined<Value> = {
  [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Value[Name]
} & {
  [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: Exclude<Value[Name], undefined>
}

export const withoutUndefined = <Value extends object>(value: Value): WithoutUndefined<Value> =>
  fieldsThat((one) => one !== undefined, value) as WithoutUndefined<Value>

type Present<Value> = {
  [Name in keyof Value as Value[Name] & (null | undefined) extends never ? Name : never]: Value[Name]
} & {
  [Name in keyof Value as Value[Name] & (null | undefined) extends never ? never : Name]?: NonNullable<Value[Name]>
}

/** Leaves out fields that are undefined or null. */
export const present = <Value extends object>(value: Value): Present<Value> =>
  fieldsThat((one) => one !== undefined && one !== null, value) as Present<Value>

const fieldsThat = (stays: (one: unknown) => boolean, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => stays(one)))

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

type RawJson = { readonly rawJSON: (text: string) => unknown }

// Shorter numbers are exact, so most texts use the native parser, many times faster.
const LONG_DIGITS = /(?<![\d.])\d{16}/
const WHOLE = /^-?\d{16,40}$/

export function parseExact(text: string): unknown {
  return LONG_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/** @param indent spaces per level; 0: one line without spaces */
export function writeExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? rawJson(one) : one), indent)
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  const isRounded = typeof value === 'number' && source !== undefined && WHOLE.test(source) && String(value) !== source
  return isRounded ? BigInt(source) : value
}

const rawJson = (value: bigint) => (JSON as unknown as RawJson).rawJSON(String(value))
