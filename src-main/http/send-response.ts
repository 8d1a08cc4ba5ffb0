import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Notifier } from '../lib/wait.ts'
import type { NodeBindings } from './node-bindings.ts'

/**
 * Calls one of two callbacks once delivery is known. Without a socket it always succeeds; with one already closed it
 * fails, as no event would follow.
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

type SentEvent = { readonly id: number | string; readonly event?: string; readonly data: string }

/** ms between keep-alive comments of an idle stream. */
export const STILL_HERE_MS = 15_000

export function followAsEvents(
  c: Context,
  options: {
    readonly notifier: Notifier
    readonly stopping: AbortSignal
    readonly durable?: () => Promise<void>
    readonly read: () => { readonly items: readonly SentEvent[]; readonly more: boolean; readonly end?: boolean }
  },
): Response {
  const { notifier, stopping, durable, read } = options
  return streamSSE(c, async (events) => {
    const signal = AbortSignal.any([stopping, c.req.raw.signal])
    await events.write(': connected\n\n')
    while (!signal.aborted && !events.aborted) {
      const { items, more, end } = read()
      if (items.length > 0) await durable?.()
      for (const { id, ...rest } of items) await events.writeSSE({ id: String(id), ...rest })
      if (end === true) return
      if (more || items.length > 0) continue
      if ((await notifier.wait(STILL_HERE_MS, signal)) === 'quiet' && !signal.aborted)
        await events.write(': still here\n\n')
    }
  })
}
