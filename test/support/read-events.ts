import { settle } from './fake-clock.ts'

/** One server-sent event; a comment has only `comment`. */
export type SentEvent = {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly comment?: string
}

/** An open answer of server-sent events, read while it grows. */
export type EventReader = {
  /** Events since the last call, without comments. */
  readonly next: () => Promise<readonly SentEvent[]>
  /** Everything up to the end of the answer. */
  readonly rest: () => Promise<readonly SentEvent[]>
  readonly comments: () => readonly string[]
  readonly ended: () => boolean
  /** The text as it came. */
  readonly text: () => string
  readonly close: () => Promise<void>
}

/** Reads the body of an answer as server-sent events. */
export function readEvents(response: Response): EventReader {
  if (response.body === null) throw new Error('the answer has no body')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let given = 0
  let ended = false
  const all = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += decoder.decode(part.value, { stream: true })
    ended = true
  })()

  function take(): readonly SentEvent[] {
    const end = text.lastIndexOf('\n\n') + 2
    const fresh = end > given ? text.slice(given, end) : ''
    given = Math.max(given, end)
    return parse(fresh).filter(({ comment }) => comment === undefined)
  }

  return {
    async next() {
      await settle()
      return take()
    },
    async rest() {
      await all
      return take()
    },
    comments: () => parse(text).flatMap(({ comment }) => comment ?? []),
    ended: () => ended,
    text: () => text,
    close: () => reader.cancel(),
  }
}

function parse(text: string): readonly SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const fields: Record<string, string> = {}
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':')
        const name = colon === 0 ? 'comment' : line.slice(0, colon)
        const value = line.slice(colon + 1).replace(/^ /, '')
        fields[name] = name in fields ? `${fields[name]}\n${value}` : value
      }
      return fields
    })
}
