// From the global symbol registry: a handler may load this file again by another path.
const RAW: unique symbol = Symbol.for('svc-worker.raw-json')

/** A value given as JSON text, for numbers that JavaScript cannot hold: seeds go up to 2^64-1. */
export type RawJson = { readonly [RAW]: true; readonly text: string }

/**
 * Marks a text as JSON, sent unchanged.
 * @throws SyntaxError if it is not JSON
 */
export function rawJson(text: string): RawJson {
  JSON.parse(text)
  return { [RAW]: true, text }
}

export function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW in value
}
