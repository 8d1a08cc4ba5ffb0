import { useQuery } from '@tanstack/react-query'
import { ClipboardList } from 'lucide-react'
import { Link } from 'wouter'
import type { LocalMachineView } from '../../../src-main/contract/system.ts'
import { GIB } from '../../../src-main/lib/units.ts'
import { ADDRESS } from '../../addresses.ts'
import { freshMachineQuery, versionsQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { asSentence, bytes } from '../../ui/format.ts'
import { ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { infoQuery } from '../../ui/use-role.ts'
import { useTell } from '../../ui/use-tell.ts'
import { Nothing } from '../../ui/Values.tsx'
import { SystemPage } from './SystemPage.tsx'

export function MachinePage() {
  const { client, platform } = useApp()
  const { done, failed } = useTell()
  const machine = useQuery(freshMachineQuery(client))
  const versions = useQuery(versionsQuery(client))
  const info = useQuery(infoQuery(client))
  const copy = () =>
    platform.copy(reportText({ versions: versions.data?.versions ?? [], machine: machine.data })).then(
      () => done('The report is on the clipboard. It holds no keys and no paths.'),
      () => failed(new Error('The browser did not allow copying the report.')),
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
        <Card title="GPUs" className="lg:col-span-2">
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
  reconnecting: { tone: 'failed', word: 'Not reachable; trying to reconnect', pulses: true },
  absent: { tone: 'cancelled', word: 'Not found' },
} as const

function Engine({ engine, workers }: LocalMachineView) {
  const { state, version, source, reason } = engine
  const { tone, word, ...rest } = ENGINES[state]
  return (
    <div className="flex flex-col gap-1.5 px-3 py-2">
      <StateDot tone={tone === 'cancelled' ? 'queued' : tone} text={word} {...rest} />
      {state === 'connected' && (
        <p className="text-ink-2">
          Engine {version}, named by {source}.
        </p>
      )}
      {reason !== undefined && <p className="break-words">{asSentence(reason)}</p>}
      {state === 'absent' && (
        <p className="text-small text-ink-2">
          Workers that are processes do not need it. For containers, start Docker, or set DOCKER_HOST and restart the
          service.
        </p>
      )}
      <p className="text-ink-2">
        {workers.used} of {workers.limit} workers run, containers and processes together.
      </p>
    </div>
  )
}

type ReportParts = {
  readonly versions: readonly { readonly name: string; readonly version?: string | undefined }[]
  readonly machine: LocalMachineView | undefined
}

/** A shareable report of versions and hardware, without keys, paths, addresses or endpoint names. */
function reportText({ versions, machine }: ReportParts): string {
  const cards = machine?.gpus.map(({ name, driver }) => `${name} (driver ${driver})`) ?? []
  return [
    ...versions.map(({ name, version }) => `${name}: ${version ?? 'not there'}`),
    `Docker: ${machine?.engine.state ?? 'unknown'}`,
    `GPUs: ${cards.length === 0 ? 'none' : cards.join(', ')}`,
    `Workers: ${machine?.workers.used ?? 0} of ${machine?.workers.limit ?? 0}`,
    '',
  ].join('\n')
}

// Used by driver and screen on an idle GPU, bytes; source: ours.
const OWN_BYTES = GIB

function CardList({ machine }: { readonly machine: LocalMachineView }) {
  const { gpus, gpuFault } = machine
  return (
    <>
      {gpuFault !== undefined && <p className="px-3 py-2 text-ink-2 first-letter:uppercase">{gpuFault}.</p>}
      {gpus.length === 0 && gpuFault === undefined && (
        <p className="px-3 py-2 text-ink-2">
          This machine has no NVIDIA GPU. Handlers that do not need one run normally.
        </p>
      )}
      <ul className="divide-y divide-line">
        {gpus.map(({ id, index, name, memoryBytes, usedBytes, heldBy }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
            <span className="w-6 font-mono text-small text-ink-2">{index}</span>
            <span className="min-w-48 flex-1 font-medium">{name}</span>
            <Memory used={usedBytes} total={memoryBytes} />
            <span className="min-w-48 flex-1">
              {heldBy.length === 0 && (
                <span className="text-ink-2">
                  {(usedBytes ?? 0) > OWN_BYTES ? 'used outside of containers' : 'free'}
                </span>
              )}
              {heldBy.map(({ workerId, endpointId, shared }) => (
                <span key={workerId} className="mr-3 inline-block">
                  <Link to={ADDRESS.endpoint(endpointId)} className="hover:underline">
                    {endpointId}
                  </Link>{' '}
                  <Link to={ADDRESS.worker(workerId)} className="font-mono text-small text-ink-2 hover:underline">
                    {workerId}
                  </Link>
                  {shared && <span className="text-ink-2"> shared</span>}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Memory({ used, total }: { readonly used: number | undefined; readonly total: number | undefined }) {
  if (total === undefined) return <span className="w-56 text-ink-2">memory size unknown</span>
  return (
    <span className="flex w-56 items-center gap-2">
      {used !== undefined && (
        <span aria-hidden className="h-1 w-20 overflow-hidden rounded-full bg-surface-2">
          <span className="block h-full rounded-full bg-accent" style={{ width: `${(100 * used) / total}%` }} />
        </span>
      )}
      {used !== undefined && `${bytes(used)} of `}
      {bytes(total)}
    </span>
  )
}
