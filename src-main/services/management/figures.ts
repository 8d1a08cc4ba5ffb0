/**
 * Figures of all endpoints over the last hour, for lists. Pages ask for them every few seconds, so the steps that were
 * read are kept, and only those since the last call are read again.
 */
import type { EndpointFigures, ServiceFigures } from '../../contract/live.ts'
import { mergeHistograms, percentilesOf, type Step } from '../../domain/metrics.ts'
import type { Clock, Storage } from '../ports.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

type KeptStep = { readonly at: number; readonly step: Step }

/** The figures of the service. */
export type Figures = { readonly read: () => ServiceFigures }

/** Makes the figures; nothing is read yet. */
export function createFigures({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'endpoints' | 'jobs' | 'metrics'>
  readonly clock: Clock
}): Figures {
  let kept: ReadonlyMap<string, readonly KeptStep[]> = new Map()

  // The newest step kept is read again: it may have been written twice within its time.
  function stepsOf(endpointId: string, from: number, to: number): readonly KeptStep[] {
    const old = (kept.get(endpointId) ?? []).filter(({ at }) => at >= from)
    const fresh = storage.metrics.read(endpointId, old.at(-1)?.at ?? from, to)
    return [...old.slice(0, -1), ...fresh.map(({ at, point }) => ({ at, step: JSON.parse(point) as Step }))]
  }

  return {
    read() {
      const at = clock.now()
      // Whole minutes, so that the bars of a chart do not change as time goes on.
      const to = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS
      const from = to - MINUTES * MINUTE_MS
      const ids = storage.endpoints.all().map(({ id }) => id)
      kept = new Map(ids.map((id) => [id, stepsOf(id, from, to)]))
      return { at, endpoints: ids.map((id) => ({ ...figuresOf(id, kept.get(id) ?? [], from), ...lastErrorOf(id) })) }
    },
  }

  function lastErrorOf(endpointId: string): Pick<EndpointFigures, 'lastError'> {
    const [job] = storage.jobs.list({ endpointId, status: 'FAILED', text: undefined, before: undefined, limit: 1 })
    if (job === undefined) return {}
    return { lastError: { jobId: job.id, at: job.finishedAt ?? job.createdAt, error: job.error ?? '' } }
  }
}

function figuresOf(endpointId: string, steps: readonly KeptStep[], from: number): EndpointFigures {
  const submitted = Array.from({ length: MINUTES }, () => 0)
  for (const { at, step } of steps) {
    const minute = Math.floor((at - from) / MINUTE_MS)
    submitted[minute] = (submitted[minute] ?? 0) + step.submitted
  }
  const execution = percentilesOf(mergeHistograms(steps.map(({ step }) => step.execution)))
  return {
    endpointId,
    ...(execution === undefined ? {} : { executionP50: execution.p50, executionP99: execution.p99 }),
    submitted,
  }
}
