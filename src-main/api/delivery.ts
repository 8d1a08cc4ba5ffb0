import type { Context } from 'hono'
import type { NodeBindings } from './read-body.ts'

/**
 * Calls one of the two when it is known whether the answer was written in full. Without a socket (the app is called
 * as a function) the answer is always in full; with one that has closed meanwhile it never is, and no event will say so.
 */
export function afterAnswer(
  c: Context,
  { written, lost }: { readonly written: () => void; readonly lost: () => void },
): void {
  const outgoing = (c.env as NodeBindings | undefined)?.outgoing
  if (outgoing === undefined) queueMicrotask(written)
  else if (outgoing.destroyed) queueMicrotask(lost)
  else outgoing.once('close', () => (outgoing.writableFinished ? written() : lost()))
}
