export type Candidate = {
  readonly openRequests: number
  readonly startedAt: number
  readonly idleSince: number | undefined
}

/** `share`: target of open requests per worker; exceeded if no more workers come. */
export type ShareRule = { readonly share: number; readonly moreCome: boolean }

/**
 * Picks the worker with the fewest open requests, then the longest idle, so that clients that need the same worker fail
 * here before they do in production. Source: docs/spec/job-api.md, 10.
 * @returns undefined if the request must wait
 */
export function chooseWorker<Worker extends Candidate>(
  candidates: readonly Worker[],
  { share, moreCome }: ShareRule,
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
  return lastBusy(a) < lastBusy(b)
}

const lastBusy = ({ idleSince, startedAt }: Candidate) => idleSince ?? startedAt

type IdleWorker = {
  readonly startedAt: number
  readonly neededAt: number | undefined
  readonly askedAt: number | undefined
}

const neededAt = (worker: IdleWorker) => worker.neededAt ?? worker.startedAt

/** When an idle worker was last needed: by the load (see `handOver`), or by a request that named it. */
export const neededLast = (worker: IdleWorker) => Math.max(neededAt(worker), worker.askedAt ?? 0)

/**
 * Requests rotate among idle workers, so a few would keep a large fleet alive. So the taker gives its `neededAt` to the
 * worker needed last, as if that one had taken the request.
 * @param idle without `taker`
 * @returns the worker to give it to; undefined if `taker` itself was needed last
 */
export function handOver<Worker extends IdleWorker>(
  taker: Worker,
  idle: readonly Worker[],
): { readonly to: Worker; readonly neededAt: number } | undefined {
  const [to] = idle.toSorted((a, b) => neededAt(b) - neededAt(a))
  return to && neededAt(to) > neededAt(taker) ? { to, neededAt: neededAt(taker) } : undefined
}

export type SendFailure =
  /** No connection was made, so the worker saw nothing of the request. */
  | 'refused'
  /** A kept-alive connection ended just as it was reused. */
  | 'stale'
  /** The worker had the request and closed the connection. */
  | 'broken'

export type NextTry = 'another worker, which may still have to start' | 'another running worker' | 'any' | 'none'

/** Tries of one request; source: ours, so that a request that kills workers does not kill them all. */
const MAX_TRIES = 3

// Read-only by definition; repeating PUT and DELETE may have visible effects.
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

export function mayRepeat(method: string, hasBody: boolean): boolean {
  return !hasBody && SAFE.has(method)
}

/**
 * Decides on a retry without a response. Source: RFC 9110 9.2.2; otherwise ours.
 * @param tries including this one
 * @param repeatable see mayRepeat; a refused request may always be retried
 * @param isStrict whether no other worker may answer
 */
export function nextTry(
  failure: SendFailure,
  { tries, repeatable, isStrict }: { tries: number; repeatable: boolean; isStrict: boolean },
): NextTry {
  if (tries >= MAX_TRIES || (isStrict && failure !== 'stale')) return 'none'
  if (failure === 'refused') return 'another worker, which may still have to start'
  if (!repeatable) return 'none'
  return failure === 'stale' ? 'any' : 'another running worker'
}
