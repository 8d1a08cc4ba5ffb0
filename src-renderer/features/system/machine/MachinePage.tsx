import { useQuery } from '@tanstack/react-query'
import { ClipboardList } from 'lucide-react'
import type { MachineView } from '../../../../src-main/contract/system.ts'
import { freshMachineQuery, infoQuery, versionsQuery } from '../../../api-client/system-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { Nothing } from '../../../ui/Values.tsx'
import { SystemPage } from '../SystemPage.tsx'
import { CardList } from './CardList.tsx'
import { reportText } from './report-text.ts'

/** The engine, the cards with who holds them, and the versions of everything. */
export function MachinePage() {
  const { client, platform, store } = useApp()
  const machine = useQuery(freshMachineQuery(client))
  const versions = useQuery(versionsQuery(client))
  const info = useQuery(infoQuery(client))
  const copy = () =>
    platform.copy(reportText({ versions: versions.data?.versions ?? [], machine: machine.data })).then(
      () =>
        store.getState().tell({ kind: 'done', text: 'The report is on the clipboard. It holds no keys and no paths.' }),
      () => store.getState().tell({ kind: 'error', text: 'The browser did not allow to copy the report.' }),
    )
  const ready = versions.data !== undefined && machine.data !== undefined
  return (
    <SystemPage
      tab="machine"
      commands={[{ id: 'report', group: 'System', label: 'Copy report', run: () => void copy() }]}
      actions={
        <Button onClick={() => void copy()} disabled={!ready}>
          <ClipboardList aria-hidden /> Copy report
        </Button>
      }
    >
      {machine.error !== null && <ErrorNotice error={machine.error} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Docker engine">
          {machine.data === undefined ? <SkeletonRows rows={2} /> : <Engine {...machine.data} />}
        </Card>
        <Card title="Versions">
          {versions.data === undefined && versions.error === null && <SkeletonRows rows={6} />}
          {versions.error !== null && <ErrorNotice error={versions.error} />}
          <dl className="divide-y divide-line">
            {versions.data?.versions.map(({ name, version }) => (
              <div key={name} className="flex h-8 items-center justify-between gap-4 px-3">
                <dt className="shrink-0 text-ink-2">{name}</dt>
                <dd className="truncate font-mono text-small">{version ?? <Nothing />}</dd>
              </div>
            ))}
          </dl>
        </Card>
        <Card title="Graphics cards" className="lg:col-span-2">
          {machine.data === undefined ? <SkeletonRows rows={2} /> : <CardList machine={machine.data} />}
        </Card>
        <Card title="Service" className="lg:col-span-2">
          {info.data === undefined && info.error === null && <SkeletonRows rows={2} />}
          {info.data !== undefined && (
            <dl className="grid gap-x-6 gap-y-1 px-3 py-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
              <dt className="text-ink-2">Address</dt>
              <dd className="break-all font-mono text-small">{info.data.url}</dd>
              <dt className="text-ink-2">Process</dt>
              <dd className="font-mono text-small">{info.data.pid}</dd>
              <dt className="text-ink-2">Data folder</dt>
              <dd className="break-all font-mono text-small">{info.data.data}</dd>
            </dl>
          )}
        </Card>
      </div>
    </SystemPage>
  )
}

const ENGINES = {
  connected: { tone: 'completed', word: 'Connected' },
  reconnecting: { tone: 'failed', word: 'Does not answer, and is looked for twice a second', pulses: true },
  absent: { tone: 'cancelled', word: 'Not there' },
} as const

function Engine({ engine, workers }: MachineView) {
  const { state, version, source, reason } = engine
  const { tone, word, ...rest } = ENGINES[state]
  return (
    <div className="flex flex-col gap-1.5 px-3 py-2">
      <StateDot tone={tone === 'cancelled' ? 'queued' : tone} word={word} {...rest} />
      {state === 'connected' && (
        <p className="text-ink-2">
          Engine {version}, named by {source}.
        </p>
      )}
      {reason !== undefined && <p className="break-words">{reason}.</p>}
      {state === 'absent' && (
        <p className="text-small text-ink-2">
          Nothing to do for workers that are processes. For containers start Docker, or set DOCKER_HOST and start the
          service again.
        </p>
      )}
      <p className="text-ink-2">
        {workers.used} of {workers.limit} workers run, containers and processes together.
      </p>
    </div>
  )
}
