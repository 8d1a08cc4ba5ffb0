import { limit } from '../contract/limits.ts'
import type { Json } from '../domain/json/json.ts'

/** Whether a payload is too large for its row. */
export function isLarge(json: Json): boolean {
  const most = limit('payloadInRowBytes')
  if (typeof json !== 'string') return json.length > most
  // A letter takes from 1 to 3 bytes a UTF-16 unit, so most texts need no count.
  return json.length * 3 > most && Buffer.byteLength(json) > most
}

/** A payload as bytes in UTF-8. */
export function asBytes(json: Json): Uint8Array<ArrayBuffer> {
  return typeof json === 'string' ? Buffer.from(json) : json
}

/** A payload as text. */
export function asText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}

/** The beginning of a payload, as much as is searched; a letter that would be cut is left out. */
export function headOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit('searchTextBytes')), { stream: true })
}
