import { Download } from 'lucide-react'
import type { ModelDownload, ModelKey } from '../../src-main/contract/models.ts'
import { mayHappen } from '../../src-main/features/models/rules/download-transitions.ts'
import { shownAddress } from '../../src-main/features/models/rules/layout.ts'
import type { OfferedModel } from '../../src-main/features/workflows/rules/runs/graph-models.ts'
import { Button } from './Button.tsx'
import { asSentence, bytes, duration } from './format.ts'
import { ErrorNotice } from './PageStates.tsx'
import { StateDot, type StateDotProps } from './StateDot.tsx'
import { useDownloadActions, useModelDownloads } from './use-models.ts'

const STATES: Readonly<Record<ModelDownload['state'], StateDotProps>> = {
  waiting: { tone: 'queued', text: 'Waiting' },
  running: { tone: 'running', text: 'Downloading', pulses: true },
  done: { tone: 'completed', text: 'Done' },
  failed: { tone: 'failed', text: 'Failed' },
  cancelled: { tone: 'cancelled', text: 'Cancelled' },
}

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
        <span className="text-small text-ink-2">{progressText(download)}</span>
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
      {reason !== undefined && <p className="text-small break-words text-ink-2">{asSentence(reason)}</p>}
    </li>
  )
}

function progressText({ state, receivedBytes, totalBytes, bytesPerSecond }: ModelDownload): string {
  if (state === 'done') return bytes(receivedBytes)
  if (state === 'cancelled') return ''
  const size = totalBytes === undefined ? bytes(receivedBytes) : `${bytes(receivedBytes)} of ${bytes(totalBytes)}`
  if (state !== 'running' || !bytesPerSecond) return size
  const left =
    totalBytes === undefined ? '' : `, ${duration(((totalBytes - receivedBytes) / bytesPerSecond) * 1000)} left`
  return `${size}, ${bytes(bytesPerSecond)} / s${left}`
}

export function OfferedDownload({ offer }: { readonly offer: OfferedModel }) {
  const { name, url, directory, sha256 } = offer
  const { start } = useDownloadActions()
  const download = useModelDownloads().find((one) => isSame(one, offer) && one.state !== 'cancelled')
  if (download !== undefined && download.state !== 'done')
    return (
      <ul className="rounded-control border border-line">
        <DownloadRow download={download} />
      </ul>
    )
  const body = { name, url, directory, ...(sha256 === undefined ? {} : { sha256 }) }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => start.mutate(body)} disabled={start.isPending} aria-label={`Download ${name}`}>
          <Download aria-hidden /> Download
        </Button>
        <span className="min-w-0 flex-1 text-small break-all text-ink-2" title={shownAddress(url)}>
          from {hostOf(url)} into {directory}
          {sha256 !== undefined && ', with its checksum'}
        </span>
      </div>
      {start.error !== null && <ErrorNotice error={start.error} />}
    </div>
  )
}

const isSame = (one: ModelKey, other: ModelKey) => one.name === other.name && one.directory === other.directory

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
