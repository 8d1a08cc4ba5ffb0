import type { DiskKind, DiskUse } from '../../../../src-main/contract/system.ts'
import { Button } from '../../../ui/Button.tsx'
import { bytes, counted } from '../../../ui/format.ts'
import { Tooltip } from '../../../ui/Tooltip.tsx'

/** The kinds as people call them. */
export const DISK_NAMES: Readonly<Record<DiskKind, string>> = {
  database: 'Database',
  payloads: 'Large inputs and outputs',
  logs: 'Logs',
  artifacts: 'Code of apps',
  assets: 'Files of workflows',
  models: 'Models',
  packages: 'Installed packages',
  volumes: 'Network volumes',
  previews: 'Previews',
  images: 'Worker images',
}

/** One kind. */
export type DiskRowProps = {
  readonly use: DiskUse
  /** Of the largest kind, 0 to 1. */
  readonly share: number
  readonly working: boolean
  readonly onClean: () => void
}

/** One kind: its size, what it is, and a button where something can go. */
export function DiskRow({ use, share, working, onClean }: DiskRowProps) {
  const { kind, count, note, where, fault, clean } = use
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-3 py-2 lg:grid-cols-[13rem_10rem_minmax(0,1fr)_8rem]">
      <h2 className="font-medium">{DISK_NAMES[kind]}</h2>
      <div className="text-right lg:text-left">
        {fault === undefined ? bytes(use.bytes) : <span className="text-ink-2">not known</span>}
        {count !== undefined && count > 0 && (
          <span className="ml-2 text-small text-ink-2">{counted(count, kind === 'images' ? 'image' : 'file')}</span>
        )}
        <div aria-hidden className="mt-1 hidden h-1 w-full overflow-hidden rounded-full bg-surface-2 lg:block">
          <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
        </div>
      </div>
      <div className="min-w-0 max-lg:row-start-2">
        <p className="text-ink-2">{note}</p>
        {fault !== undefined && <p className="break-words">{fault}.</p>}
        <p className="font-mono text-small break-all text-ink-2">{where}</p>
      </div>
      <div className="col-start-2 row-start-2 flex flex-col items-end gap-0.5 lg:col-start-4 lg:row-start-1">
        {clean !== undefined && (
          <>
            <Tooltip text={clean.effect}>
              <Button onClick={onClean} disabled={working} aria-label={`Clean up ${DISK_NAMES[kind].toLowerCase()}`}>
                {working ? 'Cleaning up' : 'Clean up'}
              </Button>
            </Tooltip>
            <span className="text-small text-ink-2">frees {bytes(clean.bytes)}</span>
          </>
        )}
      </div>
    </li>
  )
}
