import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { CopyButton } from '../../../ui/Button.tsx'
import { JobErrorNotice } from '../../../ui/output/JobErrorNotice.tsx'
import type { Setting } from './read-settings.ts'
import { locatedLine, readRunError } from './run-queries.ts'

export type RunErrorsProps = {
  readonly run: Pick<RunView, 'errors' | 'endpointId'>
  readonly onNode?: (payloadId: string) => void
}

export function RunErrors({ run: { errors, endpointId }, onNode }: RunErrorsProps) {
  return errors.map((text) => {
    const error = readRunError(text)
    const { node } = error
    return (
      <JobErrorNotice
        key={text}
        error={text}
        endpointId={endpointId}
        headline={locatedLine(error)}
        action={
          node !== undefined &&
          onNode !== undefined && (
            <button type="button" onClick={() => onNode(node)} className="shrink-0 underline underline-offset-2">
              Show
            </button>
          )
        }
      />
    )
  })
}

export function SettingList({ settings }: { readonly settings: readonly Setting[] }) {
  if (settings.length === 0) return <p className="text-ink-2">No settings.</p>
  const counts = Map.groupBy(settings, ({ name }) => name)
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1">
      {settings.map(({ node, input, name, title, value }) => (
        <div key={`${node} ${input}`} className="group contents">
          <dt className="truncate text-ink-2" title={`${title} (${node})`}>
            {name}
            {(counts.get(name)?.length ?? 0) > 1 && <span className="text-small"> · {title}</span>}
          </dt>
          <dd className="relative min-w-0">
            <span className="block max-h-40 overflow-y-auto break-words whitespace-pre-wrap tabular-nums">
              {value === '' ? <span className="text-ink-2">empty</span> : value}
            </span>
            <span className="absolute -top-1 right-0 rounded-control bg-surface-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
              <CopyButton text={value} what={name.toLowerCase()} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const WHY_NO_RESULTS = {
  IN_QUEUE: 'Waiting in the queue.',
  IN_PROGRESS: 'Running. Results appear when it finishes.',
  CANCELLED: 'Cancelled. No results were stored.',
  TIMED_OUT: 'Expired: it exceeded its time to live.',
  FAILED: 'Failed without a result.',
} as const

export function whyNoResults(run: Pick<RunView, 'status' | 'errors' | 'previews'>): string {
  const { status, errors, previews = [] } = run
  if (status !== 'COMPLETED') return WHY_NO_RESULTS[status]
  if (errors.length > 0) return 'No other results.'
  return previews.length > 0
    ? 'Only previews, which are shown on the nodes. To keep a picture, add a node that saves it, like Save Image.'
    : 'No results. Add a node that saves one, like Save Image.'
}
