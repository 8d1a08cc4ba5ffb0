/**
 * JSON as it is passed on: its text, or its bytes in UTF-8. Large payloads stay the bytes that came, because making a
 * string of 20 MB, or bytes of such a string, takes as long as writing it to the disk.
 */
export type Json = string | Uint8Array<ArrayBuffer>

/** Bytes that are read piece by piece, each time from the beginning or from `start`, up to `end`. */
export type StoredBytes = {
  readonly bytes: number
  readonly read: (range?: { readonly start?: number; readonly end?: number }) => AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** A payload to be sent: whole, or if it is large, bytes that are read while they are sent. */
export type SentJson = Json | StoredBytes

/** The pieces of a payload. */
export async function* piecesOf(payload: SentJson): AsyncGenerator<Json> {
  if (typeof payload === 'string' || payload instanceof Uint8Array) yield payload
  else yield* payload.read()
}

/** Whether a value that was parsed is an object: neither a list nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that was parsed, where it is a text; undefined: it is another, or missing. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** JSON to be read: what is parsed, and where its parts are as they came. */
export type JsonText = {
  /** What is parsed. Long strings may be empty in it, then `whole` gives all of it. */
  readonly text: string
  /** What is scanned: the same structure, and offsets in it are those that `cut` takes. */
  readonly scanned: string
  /** Takes a part out as it came, end exclusive. */
  readonly cut: (start: number, end: number) => Json
  /** Undefined where `text` is whole. */
  readonly whole: (() => string) | undefined
}

// JSON whose long whole numbers, like seeds of pictures, keep all their digits: where a number would be rounded they
// are read as bigint, and written as they came. For values that pages and commands show; graphs, of which nothing may
// change, not even `1.0` to `1`, are read by domain/workflow/json.

type ReadContext = { readonly source?: string }
type RawJson = { readonly rawJSON: (text: string) => unknown }

// Every number below has at most fifteen digits before its point, so that most texts are read in the usual way, which
// is many times faster.
const LONG_DIGITS = /(?<![\d.])\d{16}/
// Longer ones mean nothing to anybody, and take their time to read.
const WHOLE = /^-?\d{16,40}$/

/** Reads JSON. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return LONG_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/** Writes what was read. @param indent spaces of one level; 0: one line without spaces */
export function writeExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? rawJson(one) : one), indent)
}

function keepDigits(_key: string, value: unknown, context?: ReadContext): unknown {
  const source = context?.source
  const isRounded = typeof value === 'number' && source !== undefined && WHOLE.test(source) && String(value) !== source
  return isRounded ? BigInt(source) : value
}

// The types of the language do not have it yet.
const rawJson = (value: bigint) => (JSON as unknown as RawJson).rawJSON(String(value))
