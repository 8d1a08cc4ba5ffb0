import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Bell } from '../services/bell.ts'

/** One server-sent event. */
export type SentEvent = { readonly id: number; readonly event: string; readonly data: string }

const STILL_HERE_MS = 15_000

/**
 * Keeps an answer open as server-sent events: reads what is new, writes it, and waits for the bell.
 * @param read gives the next items after the ones it gave before, whether more are there at once, and whether these
 *   were the last
 */
export function followAsEvents(
  c: Context,
  {
    bell,
    stopping,
    read,
  }: {
    readonly bell: Bell
    readonly stopping: AbortSignal
    readonly read: () => { readonly items: readonly SentEvent[]; readonly more: boolean; readonly end?: boolean }
  },
): Response {
  return streamSSE(c, async (events) => {
    const signal = AbortSignal.any([stopping, c.req.raw.signal])
    await events.write(': connected\n\n')
    while (!signal.aborted && !events.aborted) {
      const { items, more, end } = read()
      for (const { id, event, data } of items) await events.writeSSE({ id: String(id), event, data })
      if (end === true) return
      if (more) continue
      if ((await bell.wait(STILL_HERE_MS, signal)) === 'quiet' && !signal.aborted)
        await events.write(': still here\n\n')
    }
  })
}
