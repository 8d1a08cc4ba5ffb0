import { AppWindow, Rocket } from 'lucide-react'
import { useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { EnvironmentView } from '../../../../src-main/contract/app.ts'
import type { WorkerView } from '../../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { missingText } from '../../../../src-main/features/apps/rules/missing-endpoints.ts'
import { STATES_BY_ATTENTION } from '../../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { machineText } from '../../../../src-main/runtimes/rules/choose-machine.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { AppTarget } from '../../../api-client/app-queries.ts'
import { useAppState } from '../../../store/app-context.ts'
import { IconName } from '../../../ui/Links.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { endpointStateDot, stateNow } from '../../endpoints/endpoint-state.ts'

export function EnvironmentTable({ environments }: { readonly environments: readonly EnvironmentView[] }) {
  const [, go] = useLocation()
  return (
    <Table
      label="Deployed apps"
      columns={COLUMNS}
      rows={environments}
      rowId={({ app, name }) => `${app}/${name}`}
      onOpen={({ app, name }) => go(ADDRESS.environment(app, name))}
      className="max-h-96 rounded-control border border-line bg-surface-1"
    />
  )
}

const COLUMNS: readonly Column<EnvironmentView>[] = [
  {
    id: 'app',
    header: 'App',
    width: 140,
    grow: 2,
    cell: ({ app }) => (
      <IconName icon={AppWindow} to={ADDRESS.app(app)}>
        {app}
      </IconName>
    ),
  },
  {
    id: 'environment',
    header: 'Environment',
    width: 130,
    grow: 1,
    cell: ({ app, name }) => (
      <IconName icon={Rocket} to={ADDRESS.environment(app, name)}>
        {name}
      </IconName>
    ),
  },
  { id: 'state', header: 'State', width: 120, grow: 1, cell: (environment) => <State environment={environment} /> },
  {
    id: 'release',
    header: 'Release',
    width: 80,
    align: 'right',
    cell: ({ active }) => active?.number ?? <Nothing />,
  },
  {
    id: 'machine',
    header: 'Workers on',
    width: 110,
    grow: 1,
    cell: ({ machine }) => machineText(machine),
  },
  {
    id: 'since',
    header: 'Since',
    width: 120,
    grow: 1,
    cell: ({ active }) =>
      active === undefined ? <Nothing /> : <RelativeTime at={active.activatedAt ?? active.createdAt} />,
  },
  { id: 'endpoints', header: 'Endpoints', width: 84, align: 'right', cell: ({ endpoints }) => endpoints },
  { id: 'variables', header: 'Variables', width: 84, align: 'right', cell: ({ variables }) => variables },
]

function State({ environment: { app, name, missing } }: { readonly environment: EnvironmentView }) {
  const members = useMembers({ app, environment: name })
  const workers = useAppState((state) => state.live.workers)
  return <StateDot {...environmentState(members, workers, missing)} />
}

export function environmentState(
  endpoints: readonly LiveEndpoint[],
  workers: Readonly<Record<string, WorkerView>>,
  missing?: EnvironmentView['missing'],
): StateDotProps {
  if (missing !== undefined) return { tone: 'failed', text: 'Incomplete', detail: missingText(missing) }
  if (endpoints.length === 0) return { tone: 'queued', text: 'Not deployed' }
  const all = Object.values(workers)
  const states = endpoints.map((endpoint) =>
    stateNow(
      endpoint,
      all.filter(({ endpointId }) => endpointId === endpoint.id),
    ),
  )
  return endpointStateDot(STATES_BY_ATTENTION.find((state) => states.includes(state)) ?? 'asleep')
}

export function useMembers({ app, environment }: AppTarget): readonly LiveEndpoint[] {
  return useAppState(
    useShallow((state) =>
      Object.values(state.live.endpoints).filter((one) => one.app?.name === app && one.app.environment === environment),
    ),
  )
}
