/** How a request ended for which no byte of an answer came. */
export type SendFailure =
  /** No connection came about: the worker has seen nothing of it. */
  | 'refused'
  /** A connection that was kept open ended just when it was used again. */
  | 'stale'
  /** The worker had the request and ended the connection. */
  | 'broken'

/** What may happen next: another try, on another worker or on any, or the failure is told. */
export type NextTry = 'another worker, which may still have to start' | 'another worker that is there' | 'any' | 'none'

/** Tries of one request; source: ours, so that a request that ends workers does not end them all. */
const MAX_TRIES = 3

// Read only by their definition; PUT and DELETE may be repeated but have effects that somebody may see twice.
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether a request may be sent twice: it changes nothing, and its body need not be read again. */
export function mayRepeat(method: string, hasBody: boolean): boolean {
  return !hasBody && SAFE.has(method)
}

/**
 * Decides whether a request without an answer is tried again. Source: RFC 9110 9.2.2; job-api says nothing of it.
 * @param tries how often it was sent, this one included
 * @param repeatable see mayRepeat; what was refused was never read, so it may be sent again in any case
 */
export function nextTry(failure: SendFailure, { tries, repeatable }: { tries: number; repeatable: boolean }): NextTry {
  if (tries >= MAX_TRIES) return 'none'
  if (failure === 'refused') return 'another worker, which may still have to start'
  if (!repeatable) return 'none'
  return failure === 'stale' ? 'any' : 'another worker that is there'
}
