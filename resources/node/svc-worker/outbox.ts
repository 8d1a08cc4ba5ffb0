/**
 * What a job posts before its result: progress and chunks, in order, one after the other. The handler waits only when
 * a stream is far ahead of the network; progress never waits: when many updates are queued, the newest replaces the
 * one before it.
 */
import type { Post } from './poster.ts'
import { doneTarget, type Settings, streamTarget } from './settings.ts'

// What may wait before a stream pauses, and before progress updates are merged. source: ours
const WAITING_POSTS = 256
const WAITING_CHARACTERS = 8 * 1024 * 1024

/** One job's queue; closed by finish or discard, and then for good. */
export type Outbox = {
  readonly putProgress: (body: string) => void
  /** Resolves when the stream may go on. */
  readonly putChunk: (body: string) => Promise<void>
  /** Resolves when all that is queued has been posted or given up. */
  readonly finish: () => Promise<void>
  /** Drops what is queued; a post on its way is waited for. */
  readonly discard: () => Promise<void>
}

type Waiting = { readonly isChunk: boolean; readonly body: string }

/** Makes the queue of a job. */
export function createOutbox(jobId: string, settings: Settings, post: Post): Outbox {
  const waiting: Waiting[] = []
  let characters = 0
  let isClosed = false
  let sending: Promise<void> | undefined
  let roomWaiters: (() => void)[] = []

  const hasRoom = () => waiting.length < WAITING_POSTS && characters < WAITING_CHARACTERS

  function put(item: Waiting): void {
    if (isClosed) return // by a timer of the handler that outlived it
    waiting.push(item)
    characters += item.body.length
    sending ??= sendAll()
  }

  async function sendAll(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      characters -= item.body.length
      if (hasRoom()) wakeStream()
      if (item.isChunk) await post(streamTarget(settings, jobId), item.body)
      else await post(doneTarget(settings, jobId), item.body, 0) // one try: the next update or the result replaces it
    }
    sending = undefined
    wakeStream()
  }

  function wakeStream(): void {
    const wake = roomWaiters
    roomWaiters = []
    for (const resolve of wake) resolve()
  }

  async function finish(): Promise<void> {
    isClosed = true
    await sending
  }

  return {
    putProgress(body) {
      const last = waiting.at(-1)
      if (!hasRoom() && last !== undefined && !last.isChunk) {
        waiting.pop()
        characters -= last.body.length
      }
      put({ isChunk: false, body })
    },
    async putChunk(body) {
      put({ isChunk: true, body })
      if (!hasRoom()) await new Promise<void>((resolve) => roomWaiters.push(resolve))
    },
    finish,
    discard() {
      waiting.length = 0
      characters = 0
      return finish()
    },
  }
}
