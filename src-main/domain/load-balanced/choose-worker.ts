/** A ready worker as the choice sees it. `startedAt` is steady ms. */
export type Candidate = { readonly openRequests: number; readonly startedAt: number }

/**
 * Chooses the worker of a request: the fewest open ones; among equals the one that was started first, so that with
 * little to do the others become idle and can leave. Source: job-api, Load-balanced endpoints; ours for equals.
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
