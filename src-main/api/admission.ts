/** Tells the listener which requests brought a key, session or token that was accepted, whatever their answer is. */

const waiting = new WeakMap<object, () => void>()

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
