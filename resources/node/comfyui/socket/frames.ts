/**
 * Reads the frames of a WebSocket (RFC 6455) as their bytes come. A message over its limit is passed over without being
 * kept: a picture of 200 MB costs its way through the socket and no memory. Node's own WebSocket keeps all of it, and
 * the library ws ends the connection over it, with all that would have come after.
 */

/** A message, or what came in its place. `dropped`: it was over the limit; `bytes` long as far as is known. */
export type SocketMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array }
  | { readonly kind: 'dropped'; readonly bytes: number; readonly text: boolean }
  | { readonly kind: 'ping'; readonly payload: Uint8Array }
  | { readonly kind: 'pong' }
  | { readonly kind: 'close'; readonly code: number | undefined; readonly reason: string }

/** The largest message of each kind that is kept, in bytes. */
export type MessageLimits = { readonly textBytes: number; readonly binaryBytes: number }

/** Bytes that are no frame. */
export class BadFrame extends Error {}

type Head = {
  readonly final: boolean
  readonly code: number
  readonly mask: Buffer | undefined
  readonly length: number
}

const TEXT = 1
const BINARY = 2
const CLOSE = 8
const PING = 9
const PONG = 10
// Of control frames, in bytes; source: RFC 6455, 5.5.
const CONTROL_MAX = 125
// Of a message. Source: ours; a server sends each as one. Each part costs its keeping, however short it is.
const PARTS_MAX = 10_000

/** Puts frames together to messages. */
export class FrameReader {
  readonly #limits: MessageLimits
  /** What has arrived and is not read yet, and its length. */
  #arrived: Uint8Array[] = []
  #arrivedBytes = 0
  #waiting: Buffer = Buffer.alloc(0)
  #head: Head | undefined
  #toSkip = 0
  /** Of the message that is under way: 0 between messages. */
  #code = 0
  #parts: Buffer[] = []
  #length = 0

  constructor(limits: MessageLimits) {
    this.#limits = limits
  }

  /** Takes bytes from the socket. @returns what they complete @throws BadFrame */
  push(bytes: Uint8Array): SocketMessage[] {
    this.#arrived.push(bytes)
    this.#arrivedBytes += bytes.length
    // Put together when a frame is whole: with each of its thousand pieces a large one would be copied again.
    if (this.#arrivedBytes < (this.#head?.length ?? 0)) return []
    this.#waiting = Buffer.concat(this.#arrived)
    const messages = this.#takeWhole()
    this.#arrived = [this.#waiting]
    this.#arrivedBytes = this.#waiting.length
    return messages
  }

  #takeWhole(): SocketMessage[] {
    const messages: SocketMessage[] = []
    for (;;) {
      if (this.#toSkip > 0 && !this.#skip()) return messages
      this.#head ??= this.#readHead()
      if (this.#head === undefined) return messages
      const head = this.#head
      if (this.#isTooLarge(head)) {
        this.#toSkip = head.length
        this.#parts = []
      } else if (this.#waiting.length < head.length) return messages
      else if (head.code >= CLOSE) messages.push(controlMessage(head.code, this.#takePayload(head)))
      // An empty part of a message is none: a server may send millions of them.
      else if (head.length > 0) this.#addPart(this.#takePayload(head))
      if (head.code < CLOSE) this.#endFrame(head, messages)
      this.#head = undefined
    }
  }

  #addPart(part: Buffer): void {
    if (this.#parts.length >= PARTS_MAX) throw new BadFrame(`the server sent a message in more than ${PARTS_MAX} parts`)
    this.#parts.push(part)
  }

  #skip(): boolean {
    const here = Math.min(this.#toSkip, this.#waiting.length)
    this.#waiting = this.#waiting.subarray(here)
    this.#toSkip -= here
    return this.#toSkip === 0
  }

  #limit(code: number): number {
    return code === TEXT ? this.#limits.textBytes : this.#limits.binaryBytes
  }

  #isTooLarge({ code, length }: Head): boolean {
    if (code >= CLOSE) return false
    return this.#length + length > this.#limit(code === 0 ? this.#code : code)
  }

  #endFrame({ code, final, length }: Head, messages: SocketMessage[]): void {
    if (code !== 0) this.#code = code
    this.#length += length
    if (!final) return
    const text = this.#code === TEXT
    if (this.#length > this.#limit(this.#code)) messages.push({ kind: 'dropped', bytes: this.#length, text })
    else {
      const whole = this.#parts.length === 1 ? (this.#parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#parts)
      messages.push(text ? { kind: 'text', text: whole.toString('utf8') } : { kind: 'binary', bytes: whole })
    }
    this.#code = 0
    this.#parts = []
    this.#length = 0
  }

  #takePayload({ length, mask }: Head): Buffer {
    // A copy: the bytes of the socket are not kept longer than they are needed.
    const payload = Buffer.from(this.#waiting.subarray(0, length))
    this.#waiting = this.#waiting.subarray(length)
    if (mask !== undefined) for (const at of payload.keys()) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0)
    return payload
  }

  #readHead(): Head | undefined {
    const bytes = this.#waiting
    const [first, second] = bytes
    if (first === undefined || second === undefined) return undefined
    const short = second & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const maskBytes = (second & 0x80) === 0 ? 0 : 4
    const size = 2 + lengthBytes + maskBytes
    if (bytes.length < size) return undefined
    const length =
      lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    const head = {
      final: (first & 0x80) !== 0,
      code: first & 0x0f,
      mask: maskBytes === 0 ? undefined : Buffer.from(bytes.subarray(2 + lengthBytes, size)),
      length,
    }
    this.#check(head, (first & 0x70) !== 0)
    this.#waiting = bytes.subarray(size)
    return head
  }

  #check({ final, code, length }: Head, hasExtension: boolean): void {
    if (hasExtension) throw new BadFrame('the server uses an extension that was not agreed on')
    if (code >= CLOSE) {
      if (code > PONG || !final || length > CONTROL_MAX) throw new BadFrame('the server sent a bad control frame')
    } else if (code > BINARY || (code === 0) !== (this.#code !== 0)) {
      throw new BadFrame('the server sent frames out of order')
    }
  }
}

function controlMessage(code: number, payload: Buffer): SocketMessage {
  if (code === PING) return { kind: 'ping', payload }
  if (code === PONG) return { kind: 'pong' }
  const hasCode = payload.length >= 2
  const reason = payload.subarray(2).toString('utf8')
  return { kind: 'close', code: hasCode ? payload.readUInt16BE(0) : undefined, reason }
}

/** What frames are written for. */
export const FRAME_CODES = { text: TEXT, binary: BINARY, close: CLOSE, ping: PING, pong: PONG } as const

/**
 * Writes one whole message as a frame.
 * @param mask four random bytes, which clients have to use; undefined for a server
 */
export function writeFrame(code: keyof typeof FRAME_CODES, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const { length } = payload
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + lengthBytes)
  head[0] = 0x80 | FRAME_CODES[code]
  head[1] = (mask === undefined ? 0 : 0x80) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) head.writeUInt16BE(length, 2)
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (mask === undefined) return Buffer.concat([head, payload])
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))])
}
