/**
 * Talks to svc_files in its container: JSON lines, some followed by bytes. See resources/python/svc_files/_session.py.
 */
import { type Duplex, PassThrough } from 'node:stream'
import type { ManifestChanges } from '../../features/machines/rules/file-tree.ts'
import { cutLines } from '../../lib/text.ts'

export type Said =
  | ({ readonly begin: string; readonly owner: string; readonly base?: string | undefined } & Pick<
      ManifestChanges,
      'removed'
    >)
  | { readonly blob: string }
  | { readonly end: true }

export type Heard = {
  readonly missing?: Readonly<Record<string, number>>
  readonly unknown?: string
  readonly tree?: string
}

export type Failure = {
  readonly failed: 'changed' | 'full' | 'refused'
  readonly sha256?: string
  readonly why?: string
  readonly freeBytes?: number
  readonly wantedBytes?: number
}

export class Refused extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.failed)
    this.failure = failure
  }
}

/** The connection broke early; a retry resumes where it was. */
export class ConnectionBroken extends Error {}

export type Conversation = ReturnType<typeof converse>

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? ''

export function converse(stream: Duplex, demux: (stream: Duplex, output: PassThrough, error: PassThrough) => void) {
  const output = new PassThrough()
  const error = new PassThrough()
  const heard: Heard[] = []
  let wake = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<never>()
  let complaint = ''
  const lines = cutLines()

  function onLine(line: string): void {
    try {
      const message: Heard | Failure = JSON.parse(line)
      if ('failed' in message) ended.reject(new Refused(message))
      else heard.push(message)
    } catch {
      ended.reject(new Error(line))
    }
  }

  ended.promise.catch(() => undefined)
  demux(stream, output, error)
  output.setEncoding('utf8').on('data', (text: string) => {
    for (const line of lines.take(text)) onLine(line)
    wake.resolve()
    wake = Promise.withResolvers()
  })
  error.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const broken = (why: string) =>
    ended.reject(complaint === '' ? new ConnectionBroken(why) : new Error(lastLine(complaint)))
  stream.on('error', ({ message }) => broken(message))
  for (const event of ['end', 'close']) stream.on(event, () => broken('the connection ended'))

  async function write(bytes: Uint8Array): Promise<void> {
    if (stream.destroyed) return ended.promise
    if (stream.write(bytes)) return
    const drained = Promise.withResolvers<void>()
    stream.once('drain', drained.resolve)
    await Promise.race([drained.promise, ended.promise])
  }

  return {
    /** @param content what follows the message, or its announced byte count */
    say(message: Said, content: Uint8Array | number = 0): Promise<void> {
      const bytes = typeof content === 'number' ? content : content.length
      const line = Buffer.from(`${JSON.stringify({ ...message, bytes })}\n`)
      return write(typeof content === 'number' ? line : Buffer.concat([line, content]))
    },
    sayBytes: write,
    async hear(): Promise<Heard> {
      for (;;) {
        const message = heard.shift()
        if (message !== undefined) return message
        await Promise.race([wake.promise, ended.promise])
      }
    },
    close: () => void stream.destroy(),
  }
}
