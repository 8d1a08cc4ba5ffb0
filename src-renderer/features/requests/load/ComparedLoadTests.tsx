import { X } from 'lucide-react'
import type { LoadTest } from '../../../../src-main/contract/requests.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { SpansHistogram } from './SpansHistogram.tsx'
import { difference, planText, STATS, type Stat } from './stats.ts'

export type ComparedLoadTestsProps = {
  readonly one: LoadTest
  readonly other: LoadTest
  readonly onClose: () => void
}

// Smaller differences between load tests are just measurement noise.
const SAME_WITHIN_PERCENT = 5

export function ComparedLoadTests({ one, other, onClose }: ComparedLoadTestsProps) {
  return (
    <Card
      title="Compared"
      aside={
        <IconButton label="Close the comparison" onClick={onClose}>
          <X />
        </IconButton>
      }
      className="min-w-0"
    >
      <SpansHistogram
        shown={[
          { name: 'A', result: one.result },
          { name: 'B', result: other.result },
        ]}
      />
      <div className="overflow-x-auto">
        <table className="w-full" aria-label="Differences of two load tests">
          <thead className="text-left text-small text-ink-2">
            <tr className="border-b border-line">
              <th scope="col" className="px-3 py-1 font-normal">
                Metric
              </th>
              <Head name="A" test={one} />
              <Head name="B" test={other} />
              <th scope="col" className="px-3 py-1 text-right font-normal">
                A against B
              </th>
            </tr>
          </thead>
          <tbody>
            {STATS.map((stat) => (
              <Row key={stat.name} stat={stat} one={one} other={other} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Head({ name, test }: { readonly name: string; readonly test: LoadTest }) {
  return (
    <th scope="col" className="px-3 py-1 text-right font-normal">
      <span className="font-medium text-ink">{name}</span> {planText(test)}, <RelativeTime at={test.startedAt} />
    </th>
  )
}

function Row({ stat, one, other }: { readonly stat: Stat; readonly one: LoadTest; readonly other: LoadTest }) {
  const values = [stat.of(one), stat.of(other)] as const
  return (
    <tr className="h-8 border-b border-line/60">
      <th scope="row" className="px-3 text-left font-normal whitespace-nowrap">
        {stat.name}
      </th>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A and B
        <td key={at} className="px-3 text-right">
          {value === undefined ? <Nothing /> : stat.write(value)}
        </td>
      ))}
      <td className="px-3 text-right whitespace-nowrap">
        <Difference stat={stat} values={values} />
      </td>
    </tr>
  )
}

function Difference({
  stat,
  values: [value, before],
}: {
  readonly stat: Stat
  readonly values: readonly [number | undefined, number | undefined]
}) {
  const percent = difference(value, before)
  if (percent === undefined) return <Nothing />
  if (Math.abs(percent) < SAME_WITHIN_PERCENT) return <span className="text-ink-2">about the same</span>
  const text = `${percent > 0 ? '+' : '−'}${Math.round(Math.abs(percent)).toLocaleString('en')} %`
  if (stat.better === 'neither') return <span className="text-ink-2">{text}</span>
  const isBetter = percent > 0 === (stat.better === 'more')
  return <span className={isBetter ? 'text-completed' : 'text-failed-ink'}>{text}</span>
}
