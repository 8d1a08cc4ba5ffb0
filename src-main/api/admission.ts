/** Which requests were authenticated, whatever their answer is, and the check that admitted them. */
import type { Context } from 'hono'

const waiting = new WeakMap<object, () => void>()
const CHECK = 'admission'

/** Calls `act` once a request is admitted. @param incoming the request, as the HTTP server has it */
export function whenAdmitted(incoming: object, act: () => void): void {
  waiting.set(incoming, act)
}

/** Notes that a request was admitted. @param incoming undefined if it did not come over a connection */
export function noteAdmission(incoming: object | undefined): void {
  if (incoming === undefined) return
  waiting.get(incoming)?.()
  waiting.delete(incoming)
}

/** Keeps the check that admitted a request, for those that last. */
export function setAdmission(c: Context, check: () => void): void {
  c.set(CHECK, check)
}

/** Repeats it; nothing was asked of some requests. @throws what the check throws once the caller has lost access */
export function repeatAdmission(c: Context): void {
  ;(c.get(CHECK) as (() => void) | undefined)?.()
}
