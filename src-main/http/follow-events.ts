/**
 * Up-to-date listeners share encoded events in spaced rounds; slow ones read chunks from the log. Only durable events
 * are sent.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'hono'
import { AppError } from '../contract/errors.ts'
import type { SERVICE_ROUTES } from '../contract/service-routes.ts'
import type { ServiceBase } from '../features/service-context.ts'
import type { Change } from '../storage/storage.ts'
import { type Chunk, chunkOf, holdNewestEvents, type NewestEvents } from './newest-events.ts'
import type { Parsed } from './read-request.ts'
import { STILL_HERE_MS } from './send-response.ts'

// Events per read of the log: less than 1 ms, and about one chunk. Source: ours.
const READ_EVENTS = 100
// Listeners served in one turn of the event loop: less than 1 ms.
const LISTENERS_A_TURN = 25
// Time between the starts of two rounds, per listener; at most a fifth of it is work.
const ROUND_MS = 0.1

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'transfer-encoding': 'chunked', // otherwise the first chunks would wait for other listeners
}

const encoder = new TextEncoder()
const CONNECTED = encoder.encode(': connected\n\n')
const STILL_HERE = encoder.encode(': still here\n\n')

export type EventFeed = (request: Parsed<typeof SERVICE_ROUTES.events> & { readonly c: Context }) => Response

type Listener = {
  readonly sendNext: () => void
  readonly sayStillHere: () => void
  readonly end: () => void
}

type LogRead = { readonly changes: readonly Change[]; readonly seenId: number }

export function createEventFeed({ storage, clock, stopping }: ServiceBase): EventFeed {
  const listeners = new Set<Listener>()
  const newest = holdNewestEvents(storage, () => listeners.size > 0)
  let hasNews = false
  let isPlanned = false
  let roundAt = Number.NEGATIVE_INFINITY
  let cancelStillHere: (() => void) | undefined
  let lastRead: Promise<unknown> = Promise.resolve()

  // One read in each turn of the event loop, however many listeners are behind.
  function readLog(id: number): Promise<LogRead> {
    const read = lastRead.then(() => nextTurn()).then(() => readNow(id))
    lastRead = read.catch(() => undefined)
    return read
  }

  async function readNow(id: number): Promise<LogRead> {
    const seenId = newest.lastId()
    const changes = storage.events.after(id, READ_EVENTS)
    await storage.durable()
    return { changes, seenId }
  }

  async function inTurns(act: (listener: Listener) => void): Promise<void> {
    let count = 0
    for (const listener of [...listeners]) {
      act(listener)
      count += 1
      if (count % LISTENERS_A_TURN === 0) await nextTurn()
    }
  }

  function planRound(): void {
    hasNews = true
    if (isPlanned || listeners.size === 0) return
    isPlanned = true
    const ms = Math.floor(roundAt + listeners.size * ROUND_MS - clock.steady())
    if (ms > 0) clock.after(ms, sendRound)
    else setImmediate(sendRound)
  }

  function sendRound(): void {
    hasNews = false
    roundAt = clock.steady()
    void inTurns((listener) => listener.sendNext()).finally(() => {
      isPlanned = false
      if (hasNews) planRound()
    })
  }

  function planStillHere(): void {
    cancelStillHere ??= clock.after(STILL_HERE_MS, () => {
      cancelStillHere = undefined
      void inTurns((listener) => listener.sayStillHere())
      if (listeners.size > 0) planStillHere()
    })
  }

  storage.onDurable(planRound)
  stopping.addEventListener('abort', () => {
    cancelStillHere?.()
    for (const listener of [...listeners]) listener.end()
  })

  /**
   * SSE of all job, worker and endpoint changes. With Last-Event-ID nothing still in the log is missed or repeated.
   * @throws AppError BAD_FIELD if Last-Event-ID is not a number
   */
  return ({ c, query }) => {
    const after = c.req.header('last-event-id') ?? query.lastEventId
    if (after !== undefined && !/^\d{1,15}$/.test(after))
      throw new AppError('BAD_FIELD', { field: 'Last-Event-ID', why: 'must be the id of an event' })
    const cursor = after === undefined ? storage.events.lastId() : Number(after)
    const client = c.req.raw.signal
    const { listener, body } = listen({
      cursor,
      only: query.endpoint,
      newest,
      readLog,
      left() {
        listeners.delete(listener)
        client.removeEventListener('abort', listener.end)
      },
    })
    listeners.add(listener)
    planStillHere()
    if (stopping.aborted || client.aborted) listener.end()
    else client.addEventListener('abort', listener.end, { once: true })
    return c.body(body, 200, HEADERS)
  }
}

function listen(options: {
  readonly cursor: number
  readonly only: string | undefined
  readonly newest: NewestEvents
  readonly readLog: (id: number) => Promise<LogRead>
  readonly left: () => void
}): { readonly listener: Listener; readonly body: ReadableStream<Uint8Array> } {
  const { cursor: start, only, newest, readLog, left } = options
  let cursor = start
  let isReading = false
  let isOver = false
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined

  const hasRoom = () => !isOver && !isReading && (stream?.desiredSize ?? 0) > 0

  function leave(): void {
    if (isOver) return
    isOver = true
    left()
  }

  function send({ last, bytes }: Chunk): void {
    cursor = last
    if (bytes !== undefined) stream?.enqueue(bytes)
  }

  async function sendFromLog(): Promise<void> {
    isReading = true
    for (let isSent = false; !isSent && newest.after(cursor, only) === undefined; ) {
      const { changes, seenId } = await readLog(cursor)
      if (isOver) return
      const chunk = chunkOf(changes, only, cursor)
      const isAll = changes.length < READ_EVENTS && chunk.last === (changes.at(-1)?.eventId ?? cursor)
      // Events of deleted jobs leave the log, so it may end before the newest id.
      send(isAll ? { ...chunk, last: Math.max(chunk.last, seenId) } : chunk)
      isSent = chunk.bytes !== undefined
    }
    isReading = false
    await sendNext()
  }

  function sendNext(): Promise<void> | undefined {
    if (!hasRoom()) return undefined
    const chunk = newest.after(cursor, only)
    if (chunk !== undefined) {
      send(chunk)
      return undefined
    }
    return sendFromLog().catch((error: unknown) => {
      leave()
      throw error
    })
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stream = controller
      controller.enqueue(CONNECTED)
    },
    pull: sendNext,
    cancel: leave,
  })
  const listener: Listener = {
    sendNext: () => void sendNext()?.catch((error: unknown) => stream?.error(error)),
    sayStillHere() {
      if (hasRoom()) stream?.enqueue(STILL_HERE)
    },
    end() {
      if (isOver) return
      stream?.close()
      leave()
    },
  }
  return { listener, body }
}
