import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Plus, RotateCw, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { z } from 'zod'
import type { LogLine } from '../../../src-main/contract/management.ts'
import type { Pod, PodAction } from '../../../src-main/contract/pods.ts'
import { addressesOf } from '../../../src-main/features/pods/rules.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { read } from '../../browser/read.ts'
import { type AppServices, useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { NameLink } from '../../ui/Links.tsx'
import { LogView } from '../../ui/output/LogView.tsx'
import { Page } from '../../ui/Page.tsx'
import { CommandLine, ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../ui/StateDot.tsx'
import { type Column, Table } from '../../ui/table/Table.tsx'
import { useWhyNot } from '../../ui/use-role.ts'
import { useTell } from '../../ui/use-tell.ts'
import { Fact, Nothing, RelativeTime } from '../../ui/Values.tsx'
import { NewPodPanel } from './NewPodPanel.tsx'

// The engine reports no changes of pods.
const POLL_MS = 2000
const SHOWN_LINES = 1000

const podsQuery = (client: AppServices['client']) =>
  queryOptions({ ...read(client, ['pods'], 'podList'), refetchInterval: POLL_MS })

const STATES: Readonly<Record<Pod['status'], StateDotProps>> = {
  STARTING: { tone: 'running', text: 'Starting', pulses: true },
  RUNNING: { tone: 'running', text: 'Running', pulses: true },
  EXITED: { tone: 'queued', text: 'Stopped' },
}

const DONE: Readonly<Record<PodAction, string>> = {
  start: 'is starting',
  stop: 'is stopped',
  restart: 'is restarting',
  terminate: 'is removed',
}

export function PodListPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useQuery(podsQuery(client))
  const pods = data?.pods ?? []
  const opened = pods.find(({ id }) => id === search.get('pod'))
  const whyNot = useWhyNot('deploy', 'Creating a pod')
  return (
    <Page
      crumbs={[{ name: 'Workers', to: ADDRESS.workers }, { name: 'Pods' }]}
      state={pods.length > 0 && <span className="text-ink-2">{counted(pods.length, 'pod')}</span>}
      actions={
        <Button
          kind="main"
          disabled={whyNot !== undefined}
          title={whyNot}
          onClick={() => setSearch({ new: 'pod' }, { replace: true })}
        >
          <Plus aria-hidden /> New pod
        </Button>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={4} />}
      {data?.pods.length === 0 && (
        <div className="flex flex-col items-center gap-3 py-10 text-ink-2">
          <p>There are no pods. A pod is a container to develop in; its ports are published on this machine.</p>
          <CommandLine command="drydock pod create notes quay.io/jupyter/base-notebook --port 8888/http" />
        </div>
      )}
      {pods.length > 0 && (
        <Table
          label="Pods"
          columns={COLUMNS}
          rows={pods}
          rowId={({ id }) => id}
          onOpen={({ id }) => go(ADDRESS.pod(id))}
          className="max-h-[70vh] rounded-control border border-line bg-surface-1"
        />
      )}
      {search.has('new') && (
        <NewPodPanel
          onClose={() => setSearch({}, { replace: true })}
          onCreated={(id) => setSearch({ pod: id }, { replace: true })}
        />
      )}
      {opened !== undefined && <PodDrawer pod={opened} onClose={() => setSearch({}, { replace: true })} />}
    </Page>
  )
}

const COLUMNS: readonly Column<Pod>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 110,
    grow: 1,
    cell: ({ id, name }) => <NameLink to={ADDRESS.pod(id)}>{name}</NameLink>,
  },
  { id: 'state', header: 'State', width: 150, grow: 2, cell: (pod) => <PodState pod={pod} /> },
  {
    id: 'image',
    header: 'Image',
    width: 120,
    grow: 2,
    cell: ({ image }) => (
      <span className="font-mono text-small text-ink-2" title={image}>
        {image}
      </span>
    ),
  },
  { id: 'addresses', header: 'Addresses', width: 150, grow: 2, cell: (pod) => <Addresses pod={pod} /> },
  {
    id: 'created',
    header: 'Created',
    width: 90,
    cell: ({ createdAt }) => <RelativeTime at={Date.parse(createdAt)} />,
  },
]

const PodState = ({ pod: { status, statusReason } }: { readonly pod: Pod }) => (
  <StateDot {...STATES[status]} detail={statusReason ?? undefined} />
)

function Addresses({ pod }: { readonly pod: Pod }) {
  const addresses = addressesOf(pod)
  if (addresses.length === 0) return <Nothing />
  return (
    <span className="flex flex-wrap gap-x-3 font-mono text-small">
      {addresses.map(({ port, text, isLink }) =>
        isLink ? (
          <a key={port} href={text} target="_blank" rel="noreferrer" title={port} className="text-accent underline">
            {text}
          </a>
        ) : (
          <span key={port} title={port}>
            {text}
          </span>
        ),
      )}
    </span>
  )
}

function PodDrawer({ pod, onClose }: { readonly pod: Pod; readonly onClose: () => void }) {
  const { id, name, status, statusReason, image, mounts, networkVolumeId, volumeMountPath } = pod
  const { client } = useApp()
  const { attempt } = useTell()
  const queries = useQueryClient()
  const whyNot = useWhyNot('deploy', 'Changing a pod')
  const [asks, setAsks] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  const act = async (action: PodAction) => {
    const isDone = await attempt(
      () => client.call('podAct', { path: { id }, body: { action } }),
      `Pod ${name} ${DONE[action]}.`,
    )
    await queries.invalidateQueries({ queryKey: ['pods'] })
    return isDone
  }
  async function remove() {
    setIsRemoving(true)
    if (await act('terminate')) onClose()
    else setIsRemoving(false)
  }
  const isOff = whyNot !== undefined
  return (
    <SidePanel open onOpenChange={onClose} title={`Pod ${name}`} width="wide" fills>
      <div className="flex flex-wrap items-center gap-2">
        <StateDot {...STATES[status]} />
        {status === 'EXITED' ? (
          <Button kind="main" disabled={isOff} onClick={() => void act('start')}>
            <Play aria-hidden /> Start
          </Button>
        ) : (
          <>
            <Button disabled={isOff} onClick={() => void act('stop')}>
              <Square aria-hidden /> Stop
            </Button>
            <Button disabled={isOff} onClick={() => void act('restart')}>
              <RotateCw aria-hidden /> Restart
            </Button>
          </>
        )}
        <Button kind="danger" disabled={isOff} onClick={() => setAsks(true)}>
          <Trash2 aria-hidden /> Remove
        </Button>
      </div>
      {whyNot !== undefined && <p className="text-ink-2">{whyNot}</p>}
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 py-2">
        {statusReason !== null && <Fact name="Reason">{statusReason}</Fact>}
        <Fact name="ID">
          <span className="flex items-center gap-1 font-mono text-small">
            {id} <CopyButton text={id} what="ID" />
          </span>
        </Fact>
        <Fact name="Image">
          <span className="font-mono text-small break-all">{image}</span>
        </Fact>
        <Fact name="Addresses">
          <Addresses pod={pod} />
        </Fact>
        <Fact name="Volume">
          {networkVolumeId !== null
            ? `network volume ${networkVolumeId} at ${volumeMountPath}`
            : (mounts.persistent?.path ?? <Nothing />)}
        </Fact>
      </dl>
      <PodLog pod={pod} isFollowed={!isRemoving} />
      {asks && (
        <Confirm open onOpenChange={setAsks} action={`Remove pod ${name}`} onConfirm={remove}>
          Its container and its volume are deleted. A network volume stays.
        </Confirm>
      )}
    </SidePanel>
  )
}

function PodLog({ pod: { id, name }, isFollowed }: { readonly pod: Pod; readonly isFollowed: boolean }) {
  const { client } = useApp()
  const { data = [], error } = useQuery({
    queryKey: ['pods', id, 'log'],
    queryFn: async () => {
      const args = { path: { id }, query: { tail: SHOWN_LINES, wait: 'false' } }
      return linesOf(await (await client.download('podLogs', args)).text(), id)
    },
    enabled: isFollowed,
    refetchInterval: POLL_MS,
  })
  if (error !== null) return <ErrorNotice error={error} />
  return <LogView lines={data} label={`Log of pod ${name}`} />
}

const sentLine = z.object({ line: z.string(), ts: z.string() })

export const linesOf = (events: string, podId: string): readonly LogLine[] =>
  events
    .split('\n')
    .filter((text) => text.startsWith(DATA))
    .map((text) => sentLine.parse(JSON.parse(text.slice(DATA.length))))
    .map(({ line, ts }, at) => ({
      ...{ id: at + 1, at: Date.parse(ts), endpointId: podId, workerId: podId },
      level: 'INFO',
      line,
    }))

const DATA = 'data: '
