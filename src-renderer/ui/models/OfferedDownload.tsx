import { Download } from 'lucide-react'
import type { ModelPlace } from '../../../src-main/contract/models.ts'
import { shownAddress } from '../../../src-main/domain/models/layout.ts'
import type { OfferedModel } from '../../../src-main/domain/models/named-models.ts'
import { Button } from '../Button.tsx'
import { ErrorNotice } from '../ErrorNotice.tsx'
import { DownloadRow } from './DownloadRow.tsx'
import { useDownloadActions, useModelDownloads } from './use-models.ts'

/** The download of a model that a document offers: one press starts it, then it is shown how far it is. */
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

const isSame = (one: ModelPlace, other: ModelPlace) => one.name === other.name && one.directory === other.directory

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
