import { Card } from '../../../ui/Card.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'

/** An input or an output. */
export type PayloadCardProps = {
  readonly title: string
  readonly value: unknown
  /** What is said where there is no value. */
  readonly none: string
  /** What is said above the value. */
  readonly note?: string | undefined
}

/** An input or an output, rendered or raw. */
export function PayloadCard({ title, value, none, note }: PayloadCardProps) {
  return (
    <Card title={title}>
      <div className="flex min-w-0 flex-col gap-3 p-3">
        {note !== undefined && <p className="text-ink-2">{note}</p>}
        {value === undefined ? <p className="text-ink-2">{none}</p> : <OutputView value={value} label={title} />}
      </div>
    </Card>
  )
}
