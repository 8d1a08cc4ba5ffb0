import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A message of the server's socket: a text, or bytes in base64. */
export type RecordedMessage = { readonly text: string } | { readonly base64: string }

/** An answer of the server. */
export type RecordedAnswer = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  readonly type: string
  readonly body: RecordedMessage
}

/** A recorded exchange of a ComfyUI server and the bridge over one job. */
export type Exchange = {
  /** Version of the server. */
  readonly comfyui: string
  readonly input: unknown
  readonly answers: readonly RecordedAnswer[]
  readonly socket: readonly RecordedMessage[]
  /** The public image worker's answer to the same input. */
  readonly publicAnswer: Readonly<Record<string, unknown>>
}

const FOLDER = join(import.meta.dirname, '../../fixtures/comfyui')

/** Reads a recorded exchange. @param name of its file, without its ending */
export function readExchange(name: string): Exchange {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
}

/** Names of all exchanges. */
export function exchangeNames(): string[] {
  return readdirSync(FOLDER).map((file) => basename(file, '.json'))
}

/** Where an exchange is kept. */
export const exchangeFile = (name: string): string => join(FOLDER, `${name}.json`)

/** The bytes of a recorded body or message. */
export function bytesOf(message: RecordedMessage): Buffer {
  return 'text' in message ? Buffer.from(message.text) : Buffer.from(message.base64, 'base64')
}
