import type { MetricsTotals } from '../../../src-main/contract/management.ts'
import { failureRate } from '../../../src-main/features/endpoints/rules/endpoint-health.ts'
import { duration } from '../../ui/format.ts'

export function RangeTotals({ totals, requests }: { readonly totals: MetricsTotals; readonly requests: boolean }) {
  const { submitted, completed, failed, coldStarts, execution } = totals
  const rate = failureRate(totals)
  const stats = [
    [requests ? 'Requests' : 'Jobs', whole(submitted)],
    ['Completed', whole(completed)],
    ['Failed', whole(failed), failed > 0],
    ['Failure rate', rate === undefined ? '–' : percent(rate), failed > 0],
    ['Execution p50', execution === undefined ? '–' : duration(execution.p50)],
    ['Execution p99', execution === undefined ? '–' : duration(execution.p99)],
    ['Cold starts', whole(coldStarts)],
  ] as const
  return (
    <dl aria-label="Totals of the range" className="flex flex-wrap gap-x-8 gap-y-2 border-b border-line px-3 py-2">
      {stats.map(([name, value, isBad = false]) => (
        <div key={name}>
          <dt className="text-small text-ink-2">{name}</dt>
          <dd className={isBad ? 'text-section font-medium text-failed-ink' : 'text-section font-medium'}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const whole = (count: number) => count.toLocaleString('en')

// Two digits, so that a small rate does not read as zero.
const percent = (share: number) =>
  share > 0 && share < 0.01 ? '< 1 %' : share < 1 && share > 0.99 ? '> 99 %' : `${Math.round(share * 100)} %`
