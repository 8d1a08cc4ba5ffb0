/**
 * What goes on after a response has begun: whether all of it was written, and answers that go on as server-sent events.
 */
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Notifier } from '../services/wait.ts'
import type { NodeBindings } from './node-bindings.ts'

/**
 * Calls one of the two when it is known whether the response was written in full. Without a socket (the app is called
 * as a function) the response is always in full; with one that has closed meanwhile it never is, and no event will say
 * so.
 */
export function afterResponse(
  c: Context,
  { written, lost }: { readonly written: () => void; readonly lost: () => void },
): void {
  const outgoing = (c.env as NodeBindings | undefined)?.outgoing
  if (outgoing === undefined) queueMicrotask(written)
  else if (outgoing.destroyed) queueMicrotask(lost)
  else outgoing.once('close', () => (outgoing.writableFinished ? written() : lost()))
}

/** One server-sent event. */
type SentEvent = { readonly id: number | string; readonly event?: string; readonly data: string }

/** How often a stream in which nothing happens says that it is open. */
export const STILL_HERE_MS = 15_000

/**
 * Keeps a response open as server-sent events: reads what is new, writes it, and waits to be notified.
 * @param read gives the next items after the ones it gave before, whether more are there at once, and whether these
 *   were the last
 */
export function followAsEvents(
  c: Context,
  {
    notifier,
    stopping,
    durable,
    read,
  }: {
    readonly notifier: Notifier
    readonly stopping: AbortSignal
    /** Waits until what was read is on the disk; not given for what is never stored. */
    readonly durable?: () => Promise<void>
    readonly read: () => { readonly items: readonly SentEvent[]; readonly more: boolean; readonly end?: boolean }
  },
): Response {
  return streamSSE(c, async (events) => {
    const signal = AbortSignal.any([stopping, c.req.raw.signal])
    await events.write(': connected\n\n')
    while (!signal.aborted && !events.aborted) {
      const { items, more, end } = read()
      if (items.length > 0) await durable?.()
      for (const { id, ...rest } of items) await events.writeSSE({ id: String(id), ...rest })
      if (end === true) return
      if (more || items.length > 0) continue // something may have come meanwhile
      if ((await notifier.wait(STILL_HERE_MS, signal)) === 'quiet' && !signal.aborted)
        await events.write(': still here\n\n')
    }
  })
}
