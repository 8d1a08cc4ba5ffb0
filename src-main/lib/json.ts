/**
 * JSON as text or UTF-8 bytes. Large payloads stay bytes, because converting 20 MB takes as long as writing it to disk.
 */
export type Json = string | Uint8Array<ArrayBuffer>

/** Bytes read in pieces, from the beginning or from `start`, up to `end`. */
export type StoredBytes = {
  readonly bytes: number
  readonly read: (range?: { readonly start?: number; readonly end?: number }) => AsyncIterable<Uint8Array<ArrayBuffer>>
}

export type SentJson = Json | StoredBytes

export async function* piecesOf(payload: SentJson): AsyncGenerator<Json> {
  if (typeof payload === 'string' || payload instanceof Uint8Array) yield payload
  else yield* payload.read()
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @returns undefined if it is not JSON */
export function plainJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** JSON to read, with access to its original parts. */
export type JsonText = {
  /** Parsed; long strings may be empty in it, then `whole` has everything. */
  readonly text: string
  readonly scanned: string
  readonly cut: (start: number, end: number) => Json
  readonly whole: (() => string) | undefined
}

// JSON that keeps all digits of long integers, like seeds, as bigint. Graphs, where even `1.0` must stay, use
// features/workflows/rules/json.

type ReadContext = { readonly source?: string }
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

function keepDigits(_key: string, value: unknown, context?: ReadContext): unknown {
  const source = context?.source
  const isRounded = typeof value === 'number' && source !== undefined && WHOLE.test(source) && String(value) !== source
  return isRounded ? BigInt(source) : value
}

const rawJson = (value: bigint) => (JSON as unknown as RawJson).rawJSON(String(value))
