import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DiskKind, DiskUse } from '../../../../src-main/contract/system.ts'
import { diskQuery } from '../../../api-client/system-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { bytes } from '../../../ui/format.ts'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { SystemPage } from '../SystemPage.tsx'
import { DISK_NAMES, DiskRow } from './DiskRow.tsx'

/** What takes disk, by kind, and what can go. */
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
      {error !== null && (
        <ErrorNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {clean.error !== null && <ErrorNotice error={clean.error} />}
      {data === undefined && error === null && <SkeletonRows rows={7} />}
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
          {asked.clean.effect} That frees about {bytes(asked.clean.bytes)}, and cannot be taken back.
        </Confirm>
      )}
    </SystemPage>
  )
}

function useClean() {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (kind: DiskKind) => client.call('diskClean', { body: { kind } }),
    onSuccess: ({ freedBytes }, kind) =>
      void store.getState().tell({ kind: 'done', text: `${DISK_NAMES[kind]}: ${bytes(freedBytes)} are free again.` }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['disk'] }),
  })
}
