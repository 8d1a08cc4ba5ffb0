import { X } from 'lucide-react'
import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { Card } from '../../../ui/Card.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { difference, FIGURES, type Figure, planText } from './figures.ts'
import { SpansHistogram } from './SpansHistogram.tsx'

/** Two load tests. */
export type ComparedLoadTestsProps = {
  readonly one: LoadTest
  readonly other: LoadTest
  readonly onClose: () => void
}

// Less is the noise of measuring.
const SAME_WITHIN_PERCENT = 5

/** Two load tests: their histograms over each other, and how far their figures are apart. */
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
                Figure
              </th>
              <Head name="A" test={one} />
              <Head name="B" test={other} />
              <th scope="col" className="px-3 py-1 text-right font-normal">
                A against B
              </th>
            </tr>
          </thead>
          <tbody>
            {FIGURES.map((figure) => (
              <Row key={figure.name} figure={figure} one={one} other={other} />
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

type RowProps = { readonly figure: Figure; readonly one: LoadTest; readonly other: LoadTest }

function Row({ figure, one, other }: RowProps) {
  const values = [figure.of(one), figure.of(other)] as const
  return (
    <tr className="h-8 border-b border-line/60">
      <th scope="row" className="px-3 text-left font-normal whitespace-nowrap">
        {figure.name}
      </th>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A and B
        <td key={at} className="px-3 text-right">
          {value === undefined ? <Nothing /> : figure.write(value)}
        </td>
      ))}
      <td className="px-3 text-right whitespace-nowrap">
        <Difference figure={figure} values={values} />
      </td>
    </tr>
  )
}

function Difference({
  figure,
  values: [value, before],
}: {
  readonly figure: Figure
  readonly values: readonly [number | undefined, number | undefined]
}) {
  const percent = difference(value, before)
  if (percent === undefined) return <Nothing />
  if (Math.abs(percent) < SAME_WITHIN_PERCENT) return <span className="text-ink-2">about the same</span>
  const text = `${percent > 0 ? '+' : '−'}${Math.round(Math.abs(percent)).toLocaleString('en')} %`
  if (figure.better === 'neither') return <span className="text-ink-2">{text}</span>
  const isBetter = percent > 0 === (figure.better === 'more')
  return <span className={isBetter ? 'text-completed' : 'text-failed-ink'}>{text}</span>
}
