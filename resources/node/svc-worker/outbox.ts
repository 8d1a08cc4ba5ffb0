/**
 * Posts a job's progress and chunks in order. A handler waits only if its stream is far ahead; queued progress is
 * replaced by the newest.
 */
import type { Post } from './poster.ts'
import { doneTarget, type Settings, streamTarget } from './settings.ts'

// Queued posts before a stream pauses and progress updates merge. Source: ours.
const WAITING_POSTS = 256
const WAITING_CHARACTERS = 8 * 1024 * 1024

export type Outbox = ReturnType<typeof createOutbox>

type Waiting = { readonly isChunk: boolean; readonly body: string }

export function createOutbox(jobId: string, settings: Settings, post: Post) {
  const waiting: Waiting[] = []
  let characters = 0
  let isClosed = false
  let sending: Promise<void> | undefined
  let roomWaiters: (() => void)[] = []

  const hasRoom = () => waiting.length < WAITING_POSTS && characters < WAITING_CHARACTERS

  function put(item: Waiting): void {
    if (isClosed) return // a handler's timer outlived the handler
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
    putProgress(body: string) {
      const last = waiting.at(-1)
      if (!hasRoom() && last !== undefined && !last.isChunk) {
        waiting.pop()
        characters -= last.body.length
      }
      put({ isChunk: false, body })
    },
    async putChunk(body: string) {
      put({ isChunk: true, body })
      if (!hasRoom()) await new Promise<void>((resolve) => roomWaiters.push(resolve))
    },
    finish,
    discard(): Promise<void> {
      waiting.length = 0
      characters = 0
      return finish()
    },
  }
}
