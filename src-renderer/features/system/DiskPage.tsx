import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DiskKind, DiskUse } from '../../../src-main/contract/system.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { diskQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { bytes } from '../../ui/format.ts'
import { ErrorNotice, QueryState } from '../../ui/PageStates.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { SystemPage } from './SystemPage.tsx'

export function DiskPage() {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(diskQuery(client))
  const clean = useClean()
  const [asked, setAsked] = useState<DiskUse>()
  const used = data?.uses.reduce((sum, use) => sum + use.bytes, 0) ?? 0
  const largest = Math.max(1, ...(data?.uses ?? []).map((use) => use.bytes))
  return (
    <SystemPage
      tab="disk"
      state={
        data && (
          <span className="text-ink-2">
            {bytes(used)} used, {bytes(data.freeBytes)} free
          </span>
        )
      }
      commands={(data?.uses ?? [])
        .filter((use) => use.clean !== undefined)
        .map((use) => ({
          id: `clean-${use.kind}`,
          group: 'System',
          label: `Clean up ${DISK_NAMES[use.kind].toLowerCase()}`,
          run: () => setAsked(use),
        }))}
    >
      <QueryState data={data} error={error} rows={7} onRetry={refetch} />
      {clean.error !== null && <ErrorNotice error={clean.error} />}
      {data !== undefined && (
        <Card>
          <ul className="divide-y divide-line">
            {data.uses.map((use) => (
              <DiskRow
                key={use.kind}
                use={use}
                share={use.bytes / largest}
                working={clean.isPending && clean.variables === use.kind}
                onClean={() => setAsked(use)}
              />
            ))}
          </ul>
        </Card>
      )}
      {data !== undefined && (
        <p className="text-small text-ink-2">
          The data folder is <code className="font-mono break-all">{data.folder}</code>. Its disk has{' '}
          {bytes(data.totalBytes)}.
        </p>
      )}
      {asked?.clean !== undefined && (
        <Confirm
          open
          onOpenChange={() => setAsked(undefined)}
          action={`Clean up ${DISK_NAMES[asked.kind].toLowerCase()}`}
          onConfirm={() => clean.mutate(asked.kind)}
        >
          {asked.clean.effect} That frees about {bytes(asked.clean.bytes)}, and cannot be undone.
        </Confirm>
      )}
    </SystemPage>
  )
}

function useClean() {
  const { client } = useApp()
  const { done } = useTell()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (kind: DiskKind) => client.call('diskClean', { body: { kind } }),
    onSuccess: ({ freedBytes }, kind) => done(`${DISK_NAMES[kind]}: ${bytes(freedBytes)} are free again.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['disk'] }),
  })
}

const DISK_NAMES: Readonly<Record<DiskKind, string>> = {
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

type DiskRowProps = {
  readonly use: DiskUse
  readonly share: number
  readonly working: boolean
  readonly onClean: () => void
}

function DiskRow({ use, share, working, onClean }: DiskRowProps) {
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
