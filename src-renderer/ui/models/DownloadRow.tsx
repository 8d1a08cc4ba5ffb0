import type { ModelDownload } from '../../../src-main/contract/models.ts'
import { mayHappen } from '../../../src-main/domain/models/download-transitions.ts'
import { Button } from '../Button.tsx'
import { bytes, duration } from '../format.ts'
import { StateDot, type StateDotProps } from '../StateDot.tsx'
import { useDownloadActions } from './use-models.ts'

const STATES: Readonly<Record<ModelDownload['state'], StateDotProps>> = {
  waiting: { tone: 'queued', word: 'Waiting' },
  running: { tone: 'running', word: 'Downloading', pulses: true },
  done: { tone: 'completed', word: 'Done' },
  failed: { tone: 'failed', word: 'Failed' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
}

/** A download: how far it is, why it is not further, and what can be done. */
export function DownloadRow({ download }: { readonly download: ModelDownload }) {
  const { id, name, directory, url, state, reason, receivedBytes, totalBytes } = download
  const { change } = useDownloadActions()
  const button = (label: string, to: 'Retry' | 'Cancel' | 'Remove') => (
    <Button
      kind="quiet"
      aria-label={`${label} ${name}`}
      disabled={change.isPending}
      onClick={() => change.mutate({ id, to })}
    >
      {label}
    </Button>
  )
  const canCancel = mayHappen('cancel', state)
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <StateDot {...STATES[state]} />
        <span className="min-w-0 flex-1 truncate font-medium" title={url}>
          {name} <span className="font-normal text-ink-2">{directory}</span>
        </span>
        <span className="text-small text-ink-2">{progressWords(download)}</span>
        <span className="flex gap-1">
          {mayHappen('retry', state) && button('Try again', 'Retry')}
          {canCancel ? button('Cancel', 'Cancel') : button('Clear', 'Remove')}
        </span>
      </div>
      {canCancel && totalBytes !== undefined && totalBytes > 0 && (
        <div
          role="progressbar"
          aria-label={`Download of ${name}`}
          aria-valuenow={Math.floor((receivedBytes / totalBytes) * 100)}
          className="h-1 overflow-hidden rounded-full bg-surface-2"
        >
          <div className="h-full rounded-full bg-accent" style={{ width: `${(receivedBytes / totalBytes) * 100}%` }} />
        </div>
      )}
      {reason !== undefined && <p className="text-small break-words text-ink-2">{sentence(reason)}</p>}
    </li>
  )
}

/** How far a download is, in words. */
function progressWords({ state, receivedBytes, totalBytes, bytesPerSecond }: ModelDownload): string {
  if (state === 'done') return bytes(receivedBytes)
  if (state === 'cancelled') return ''
  const size = totalBytes === undefined ? bytes(receivedBytes) : `${bytes(receivedBytes)} of ${bytes(totalBytes)}`
  if (state !== 'running' || !bytesPerSecond) return size
  const left =
    totalBytes === undefined ? '' : `, ${duration(((totalBytes - receivedBytes) / bytesPerSecond) * 1000)} left`
  return `${size}, ${bytes(bytesPerSecond)} / s${left}`
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
