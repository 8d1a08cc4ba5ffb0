import type { Socket } from 'node:net'
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

/** What to call for the newest answer on a connection when it turns out that nobody has read it. */
const unread = new WeakMap<Socket, () => void>()

/**
 * Calls `lost` when an answer did not reach the client: its connection was closed before the answer, or before the client
 * has read it. To write in full is no proof, since the system takes what is written for a connection whose other side has
 * just closed. That side then answers with a reset, and it sends one too where it closes with bytes that were not read.
 *
 *   closed before the answer, seen in time        the answer is not written in full
 *   closed before the answer, seen too late       end of input, and one more write fails with the reset
 *   closed with the answer unread                 the reset itself
 *   closed with the answer read                   end of input, and one more write succeeds: not lost
 *
 * Without a socket (the app is called as a function) nothing is ever lost, unless the client had gone.
 * @param lost may be called twice; not any more when the next answer of this kind is sent on the connection
 */
export function afterHandOut(c: Context, lost: () => void): void {
  const bindings = c.env as NodeBindings | undefined
  afterAnswer(c, { written: () => undefined, lost })
  const socket = bindings?.incoming?.socket
  if (socket === undefined) return
  if (!unread.has(socket)) {
    // Before the server's own listener, which closes our side. A client that still reads finds an empty line after the answer.
    socket.prependOnceListener('end', () => void (socket.writable && socket.write('\r\n')))
    socket.once('close', (withError) => void (withError && unread.get(socket)?.()))
  }
  unread.set(socket, lost)
}
