import { useQuery } from '@tanstack/react-query'
import { Plus, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { MachineView } from '../../../src-main/contract/machines.ts'
import { connectionText } from '../../../src-main/features/machines/rules/connection-text.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { bytes } from '../../ui/format.ts'
import { NameLink } from '../../ui/Links.tsx'
import { Page } from '../../ui/Page.tsx'
import { CommandLine, ErrorNotice, SkeletonRows, Typed, WarningNotice } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { type Column, Table } from '../../ui/table/Table.tsx'
import { machinesQuery } from '../../ui/use-machines.ts'
import { Nothing } from '../../ui/Values.tsx'
import { AddMachinePanel } from './AddMachinePanel.tsx'
import { cardsText, diskText, machineState, whyNotReached } from './machine-state.ts'
import { useMachineActions } from './use-machine-actions.ts'

export function MachineListPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useQuery(machinesQuery(client))
  const { whyNotChange } = useMachineActions()
  const machines = data?.machines ?? []
  const add = {
    id: 'machine-add',
    group: 'Machines',
    label: 'Add machine',
    keys: 'n',
    run: () => go(ADDRESS.newMachine),
  }
  const lost = machines.filter(({ state }) => state === 'unreachable')
  return (
    <Page
      crumbs={[{ name: 'Machines' }]}
      commands={whyNotChange === undefined ? [add] : []}
      state={machines.length > 0 && <span className="text-ink-2">{counted(machines.length, 'machine')}</span>}
      actions={
        <Button kind="main" disabled={whyNotChange !== undefined} onClick={() => setSearch({ new: 'machine' })}>
          <Plus aria-hidden /> Add machine
        </Button>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {whyNotChange !== undefined && <p className="text-ink-2">{whyNotChange}</p>}
      {data === undefined && error === null && <SkeletonRows rows={4} />}
      {data?.machines.length === 0 && <FirstMachine icon={<Server />} />}
      {lost.map((machine) => (
        <WarningNotice key={machine.name}>
          <span className="font-medium">{machine.name}</span>: {whyNotReached(machine)} Drydock keeps trying to connect.
        </WarningNotice>
      ))}
      {machines.length > 0 && (
        <Table
          label="Machines"
          columns={COLUMNS}
          rows={machines}
          rowId={({ name }) => name}
          onOpen={({ name }) => go(ADDRESS.machine(name))}
          className="max-h-[70vh] rounded-control border border-line bg-surface-1"
        />
      )}
      {machines.length > 0 && (
        <p className="text-small text-ink-2">
          The machine of this service runs workers too:{' '}
          <Link to={ADDRESS.system('machine')} className="text-accent underline">
            its engine and GPUs
          </Link>
          . Each endpoint says in its settings where its workers run.
        </p>
      )}
      {search.get('new') === 'machine' && whyNotChange === undefined && (
        <AddMachinePanel onClose={() => setSearch({}, { replace: true })} />
      )}
    </Page>
  )
}

const cellOf = (text: string | undefined) => text ?? <Nothing />

const COLUMNS: readonly Column<MachineView>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 110,
    grow: 2,
    cell: ({ name }) => <NameLink to={ADDRESS.machine(name)}>{name}</NameLink>,
  },
  {
    id: 'state',
    header: 'State',
    width: 130,
    grow: 1,
    cell: (machine) => <StateDot {...machineState(machine)} />,
  },
  {
    id: 'way',
    header: 'Reached by',
    width: 100,
    grow: 2,
    cell: ({ way, swarm }) => (
      <span className="font-mono text-small text-ink-2" title={connectionText(way)}>
        {connectionText(way)}
        {swarm && ', swarm'}
      </span>
    ),
  },
  {
    id: 'cards',
    header: 'GPUs',
    width: 100,
    grow: 2,
    cell: ({ facts }) => cellOf(facts && cardsText(facts)),
  },
  { id: 'cpus', header: 'CPUs', width: 56, align: 'right', cell: ({ facts }) => cellOf(facts && String(facts.cpus)) },
  {
    id: 'load',
    header: 'Load',
    width: 60,
    align: 'right',
    cell: ({ facts }) => cellOf(facts?.load?.toFixed(2)),
  },
  {
    id: 'memory',
    header: 'Memory',
    width: 80,
    align: 'right',
    cell: ({ facts }) => cellOf(facts && bytes(facts.memoryBytes)),
  },
  {
    id: 'disk',
    header: 'Disk',
    width: 104,
    align: 'right',
    cell: ({ facts }) => (
      <span title={facts && diskText(facts)}>
        {cellOf(facts?.diskFreeBytes === undefined ? undefined : `${bytes(facts.diskFreeBytes)} free`)}
      </span>
    ),
  },
  {
    id: 'images',
    header: 'Images',
    width: 70,
    align: 'right',
    cell: ({ facts }) => cellOf(facts && String(facts.images.length)),
  },
  { id: 'workers', header: 'Workers', width: 76, align: 'right', cell: ({ workers }) => String(workers.length) },
]

function FirstMachine({ icon }: { readonly icon: ReactNode }) {
  return (
    <section
      aria-label="The first machine"
      className="mx-auto flex w-full max-w-2xl flex-col items-center gap-4 px-4 py-10"
    >
      <div className="text-ink-2 [&_svg]:size-8 [&_svg]:stroke-[1.25]">{icon}</div>
      <p className="text-center text-ink-2">
        All workers run on this machine. Any machine with Docker that you can log in to by SSH can run them too; the
        queue, the pages and your files stay here.
      </p>
      <ol className="flex w-full flex-col gap-4">
        <Step at={1} title="Check that you can reach its Docker" command="ssh ada@gpu-box docker version">
          It must answer without a password, and show a client and a server. If not, add your key with{' '}
          <Typed command="ssh-copy-id" />, install Docker there, or add your user there to the docker group.
        </Step>
        <Step at={2} title="Add it under a name" command="drydock machine add gpu-box --ssh ada@gpu-box">
          The same as the button above. Shows each check and how to fix it. Nothing is installed there.
        </Step>
        <Step at={3} title="Run a first job there" command="drydock machine test gpu-box --job">
          Creates the endpoint hello-gpu-box and sends it a job. Building the worker image there takes about a minute
          the first time.
        </Step>
        <Step at={4} title="Run your own endpoint there" command="drydock endpoint update ENDPOINT --on gpu-box">
          Or choose the machine in the settings of an endpoint, for a new one with <Typed command="--on gpu-box" />, for
          an app with <Typed command="drydock deploy --on gpu-box" />.
        </Step>
      </ol>
    </section>
  )
}

type StepProps = {
  readonly at: number
  readonly title: string
  readonly command: string
  readonly children: ReactNode
}

function Step({ at, title, command, children }: StepProps) {
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      <span
        aria-hidden
        className="flex size-6 items-center justify-center rounded-full bg-surface-2 text-small font-medium"
      >
        {at}
      </span>
      <h2 className="leading-6 font-medium">{title}</h2>
      <div className="col-start-2 flex flex-col items-start gap-1">
        <CommandLine command={command} />
        <p className="text-small text-ink-2">{children}</p>
      </div>
    </li>
  )
}
