import { Columns2, Download, GitCompareArrows, Repeat, RotateCcw, X } from 'lucide-react'
import { useLocation } from 'wouter'
import type { BulkAction } from '../../../../src-main/contract/job-routes.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import type { Bulk } from './selected-jobs.ts'

export type BulkBarProps = {
  readonly label: string
  readonly retry: Bulk
  readonly cancel: Bulk
  readonly rerun: Bulk
  readonly onCancel: () => void
  readonly onExport: () => void
  readonly busy: BulkAction | undefined
  readonly compare: string | undefined
  /** Page to compare versions; undefined: too many for an address. */
  readonly versions: string | undefined
  readonly onClear: () => void
}

export function BulkBar({ label, retry, cancel, rerun, onCancel, onExport, busy, ...props }: BulkBarProps) {
  const { compare, versions, onClear } = props
  const [, go] = useLocation()
  const group = 'Selected jobs'
  return (
    <div role="toolbar" aria-label="Selected jobs" className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
      <span className="font-medium">{label}</span>
      <Button disabled={!retry.count || busy !== undefined} onClick={() => void retry.run()}>
        <RotateCcw aria-hidden /> {busy === 'retry' ? 'Retrying' : 'Retry'} {numberOf(retry)}
      </Button>
      <Button
        disabled={!rerun.count || busy !== undefined}
        title="New jobs with the same inputs"
        onClick={() => void rerun.run()}
      >
        <Repeat aria-hidden /> {busy === 'rerun' ? 'Queueing' : 'Run again'} {numberOf(rerun)}
      </Button>
      <Button
        kind="danger"
        title="Waiting jobs will not run. Running jobs are stopped and their work is lost. If a worker does not stop in time, its other jobs start again."
        disabled={!cancel.count || busy !== undefined}
        onClick={onCancel}
      >
        <X aria-hidden /> {busy === 'cancel' ? 'Cancelling' : 'Cancel'} {numberOf(cancel)}
      </Button>
      <Button onClick={onExport}>
        <Download aria-hidden /> Export
      </Button>
      {compare !== undefined && (
        <Button onClick={() => go(compare)}>
          <Columns2 aria-hidden /> Compare the two
        </Button>
      )}
      {versions !== undefined && (
        <Button title="Run their inputs on several versions, and see what differs" onClick={() => go(versions)}>
          <GitCompareArrows aria-hidden /> Compare versions
        </Button>
      )}
      <Button kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
      <CommandsHere
        commands={[
          { id: 'bulk-retry', group, label: `Retry ${label}`, run: () => void retry.run() },
          { id: 'bulk-rerun', group, label: `Run ${label} again as new jobs`, run: () => void rerun.run() },
          { id: 'bulk-export', group, label: `Export ${label} as JSON lines`, run: onExport },
          { id: 'bulk-cancel', group, label: `Cancel ${label}`, run: onCancel },
          { id: 'bulk-clear', group, label: 'Clear selection', run: onClear },
        ]}
      />
    </div>
  )
}

const numberOf = ({ count }: Bulk) => count?.toLocaleString('en') ?? '…'
