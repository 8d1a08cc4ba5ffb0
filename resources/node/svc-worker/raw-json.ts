// Of the registry: a handler may have loaded this file a second time, by another path.
const RAW: unique symbol = Symbol.for('svc-worker.raw-json')

/** A value that is given as JSON text, for numbers that JavaScript cannot hold: seeds go up to 2^64-1. */
export type RawJson = { readonly [RAW]: true; readonly text: string }

/** Marks a text as JSON; it is sent as it is. @throws SyntaxError where it is none */
export function rawJson(text: string): RawJson {
  JSON.parse(text)
  return { [RAW]: true, text }
}

/** Whether a value is such a text. */
export function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW in value
}
