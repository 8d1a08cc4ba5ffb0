/** Which worker gets a request to a load-balanced endpoint, and whether a request that failed is sent again. */

/** A ready worker as the choice sees it. `startedAt` is steady ms. */
export type Candidate = { readonly openRequests: number; readonly startedAt: number }

/**
 * Chooses the worker of a request: the fewest open ones; among equals the one that was started first, so that with
 * little to do the others become idle and can leave. Source: docs/spec/job-api.md, 10; ours for equals.
 *
 * A worker that has its number of requests gets no further one while another worker comes: the request waits, and
 * that it waits makes the fleet grow. Where none comes it gets more all the same, because a web server can take them
 * and long answers (events, sockets) would shut everybody else out.
 * @param candidates ready workers
 * @param share open requests that one worker is to have, from the scaler
 * @param moreCome whether another worker starts or may start soon
 * @returns undefined when the request is to wait
 */
export function chooseWorker<Worker extends Candidate>(
  candidates: readonly Worker[],
  { share, moreCome }: { readonly share: number; readonly moreCome: boolean },
): Worker | undefined {
  let best: Worker | undefined
  for (const worker of candidates) {
    if (moreCome && worker.openRequests >= share) continue
    if (best === undefined || isBetter(worker, best)) best = worker
  }
  return best
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.openRequests !== b.openRequests) return a.openRequests < b.openRequests
  return a.startedAt < b.startedAt
}

/** How a request ended for which no byte of a response came. */
export type SendFailure =
  /** No connection came about: the worker has seen nothing of it. */
  | 'refused'
  /** A connection that stayed open ended just when it was used again. */
  | 'stale'
  /** The worker had the request and ended the connection. */
  | 'broken'

/** What may happen next: another try, on another worker or on any, or the failure is reported. */
export type NextTry = 'another worker, which may still have to start' | 'another running worker' | 'any' | 'none'

/** Tries of one request; source: ours, so that a request that ends workers does not end them all. */
const MAX_TRIES = 3

// Read only by their definition; PUT and DELETE may be repeated but have effects that somebody may see twice.
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether a request may be sent twice: it changes nothing, and its body need not be read again. */
export function mayRepeat(method: string, hasBody: boolean): boolean {
  return !hasBody && SAFE.has(method)
}

/**
 * Decides whether a request without an answer is tried again. Source: RFC 9110 9.2.2; ours where a request may be sent
 * twice.
 * @param tries how often it was sent, this one included
 * @param repeatable see mayRepeat; what was refused was never read, so it may be sent again in any case
 */
export function nextTry(failure: SendFailure, { tries, repeatable }: { tries: number; repeatable: boolean }): NextTry {
  if (tries >= MAX_TRIES) return 'none'
  if (failure === 'refused') return 'another worker, which may still have to start'
  if (!repeatable) return 'none'
  return failure === 'stale' ? 'any' : 'another running worker'
}
