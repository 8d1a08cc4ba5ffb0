/**
 * JSON as it is passed on: its text, or its bytes in UTF-8. Large payloads stay the bytes that came, because making a
 * string of 20 MB, or bytes of such a string, takes as long as writing it to the disk.
 */
export type Json = string | Uint8Array<ArrayBuffer>

/** JSON to be read: what is parsed, and where its parts are as they came. */
export type JsonText = {
  /** What is parsed. Long strings may be empty in it, then `whole` gives all of it. */
  readonly text: string
  /** What is scanned: the same structure, and places in it are those that `cut` takes. */
  readonly scanned: string
  /** Takes a part out as it came, end exclusive. */
  readonly cut: (start: number, end: number) => Json
  /** Undefined where `text` is whole. */
  readonly whole: (() => string) | undefined
}
