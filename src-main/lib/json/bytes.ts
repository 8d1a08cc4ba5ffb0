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

/** JSON to read, with access to its original parts. */
export type JsonText = {
  /** Parsed; long strings may be blanked out, in which case `whole` has the full text. */
  readonly text: string
  readonly scanned: string
  readonly cut: (start: number, end: number) => Json
  readonly whole: (() => string) | undefined
}
