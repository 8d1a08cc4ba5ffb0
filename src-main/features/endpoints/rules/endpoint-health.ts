/** Health of an endpoint in a word and a sentence with the reason. Source: ours. */
import type { EndpointState } from '../../../contract/endpoint.ts'
import type { MetricsPoint, MetricsTotals } from '../../../contract/management.ts'
import { counted, durationText, withFullStop } from '../../../lib/text.ts'
import { endpointStateLabel } from './endpoint-state.ts'

export type HealthFacts = {
  readonly state: EndpointState
  readonly inQueue: number
  readonly inProgress: number
  readonly waitingReason: string | undefined
  readonly throttledReason: string | undefined
  readonly brokenReason: string | undefined
  readonly loadBalanced: boolean
  readonly stats:
    | { readonly totals: MetricsTotals; readonly points: readonly MetricsPoint[]; readonly range: string }
    | undefined
  readonly lastError: string | undefined
}

/** `good` and `busy`: no action needed; `resting`: idle; the others need attention. */
export type EndpointHealth = {
  readonly level: 'good' | 'busy' | 'resting' | 'warning' | 'bad'
  readonly text: string
  readonly reason: string
}

/** Failed share of ended jobs, 0 to 1; undefined without any. */
export function failureRate({ completed, failed }: Pick<MetricsTotals, 'completed' | 'failed'>): number | undefined {
  return completed + failed === 0 ? undefined : failed / (completed + failed)
}

// Share of failures at which an endpoint counts as failing. Source: ours, more fail than not.
const FAILING_FROM = 0.5

export function endpointHealth(facts: HealthFacts): EndpointHealth | undefined {
  const { state, inQueue, waitingReason, loadBalanced } = facts
  const why = waitingReason === undefined ? '' : ` ${withFullStop(waitingReason)}`
  const waiting =
    inQueue === 0 ? '' : `${counted(inQueue, loadBalanced ? 'request' : 'job')} ${inQueue === 1 ? 'waits' : 'wait'}.`
  const stopped = stoppedReason(facts)
  if (stopped !== undefined) {
    const { level, reason } = stopped
    return { level, text: endpointStateLabel(state), reason: `${waiting}${reason}`.trim() }
  }
  const health = statsHealth(facts)
  if (inQueue === 0) return health
  // Work that waits for a busy or starting worker is not a fault.
  if (health === undefined) return { level: 'busy', text: endpointStateLabel(state), reason: `${waiting}${why}` }
  return { ...health, reason: `${health.reason} ${waiting}${why}` }
}

function stoppedReason({
  state,
  waitingReason,
  throttledReason,
  brokenReason,
}: HealthFacts): Pick<EndpointHealth, 'level' | 'reason'> | undefined {
  const why = waitingReason === undefined ? undefined : ` ${withFullStop(waitingReason)}`
  switch (state) {
    case 'paused':
      return { level: 'warning', reason: ' The endpoint is paused. Resume it to continue.' }
    case 'closed':
      return { level: 'warning', reason: ' Its maximum number of workers is 0: raise it in its settings.' }
    case 'broken':
      return { level: 'bad', reason: ` It cannot run: ${brokenReason}` }
    case 'crashing':
      return { level: 'bad', reason: why ?? ' Its workers keep crashing.' }
    case 'unhealthy':
      return { level: 'bad', reason: why ?? ' Its workers do not answer.' }
    case 'waiting':
      return why === undefined ? undefined : { level: 'warning', reason: why }
    case 'throttled':
      return {
        level: 'warning',
        reason: ` No worker can start: ${withFullStop(throttledReason ?? 'there is no capacity')}`,
      }
    default:
      return undefined
  }
}

function statsHealth({ stats, state, inProgress, lastError, loadBalanced }: HealthFacts): EndpointHealth | undefined {
  if (stats === undefined) return undefined
  const { totals, points, range } = stats
  const work = loadBalanced ? 'request' : 'job'
  const { completed, failed } = totals
  const rate = failureRate(totals)
  if (rate === undefined) {
    const next =
      state === 'ready' || state === 'running'
        ? 'A worker is ready for the next one.'
        : 'A worker starts with the next one.'
    const none = `No ${work} ended in the last ${range}.`
    return inProgress > 0
      ? { level: 'busy', text: 'Running', reason: `${none} ${counted(inProgress, work)} in progress.` }
      : { level: 'resting', text: 'Idle', reason: `${none} ${next}` }
  }
  const error = lastError === undefined || lastError === '' ? '' : ` Latest error: ${withFullStop(lastError)}`
  const others = completed === 0 ? 'none' : whole(completed)
  const failures = `${counted(failed, work)} failed and ${others} completed in the last ${range}.`
  if (failed === 0) {
    const { execution } = totals
    const took =
      execution === undefined || completed === 1
        ? ''
        : `, half of them within ${durationText(execution.p50)}, 99 % within ${durationText(execution.p99)}`
    const reason = `${counted(completed, work)} completed in the last ${range}${took}.`
    return { level: 'good', text: 'Healthy', reason }
  }
  if (hasRecovered(points))
    return { level: 'good', text: 'Recovered', reason: `The newest ${work}s completed. ${failures}${error}` }
  if (rate >= FAILING_FROM) return { level: 'bad', text: 'Failing', reason: `${failures}${error}` }
  return { level: 'warning', text: 'Some failures', reason: `${failures}${error}` }
}

function hasRecovered(points: readonly MetricsPoint[]): boolean {
  const newest = points.findLast(({ completed, failed }) => completed + failed > 0)
  return newest !== undefined && newest.failed === 0
}

const whole = (count: number) => count.toLocaleString('en')
