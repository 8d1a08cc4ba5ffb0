import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { MachineFacts, MachineView } from '../../../src-main/contract/machines.ts'
import { connectionText } from '../../../src-main/features/machines/rules/connection-text.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import type { Tone } from '../../ui/colours.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { bytes } from '../../ui/format.ts'
import { Page } from '../../ui/Page.tsx'
import { ErrorNotice, NotFound, SkeletonRows, WarningNotice } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { machinesQuery } from '../../ui/use-machines.ts'
import { useWhyNot } from '../../ui/use-role.ts'
import { Fact, Nothing, RelativeTime } from '../../ui/Values.tsx'
import { WORKER_STYLES } from '../workers/worker-state.ts'
import { cardsText, diskText, loadText, machineState, whatRemovalEnds, whyNotReached } from './machine-state.ts'
import { TestSteps } from './TestSteps.tsx'
import { useMachineActions } from './use-machine-actions.ts'

export function MachineDetailPage({ name }: { readonly name: string }) {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(machinesQuery(client))
  const machine = data?.machines.find((one) => one.name === name)
  const { test, remove, whyNotTest, whyNotChange } = useMachineActions()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const [asks, setAsks] = useState(false)
  const [, go] = useLocation()
  if (data !== undefined && machine === undefined) return <NotFound what={`a machine ${name}`} />
  return (
    <Page
      crumbs={[{ name: 'Machines', to: ADDRESS.machines }, { name }]}
      state={machine && <StateDot {...machineState(machine)} />}
      commands={[
        { id: 'machine-test', group: 'Machine', label: `Test ${name}`, keys: 'r', run: () => void test(name) },
      ]}
      actions={
        machine && (
          <>
            <Button
              kind="main"
              disabled={machine.test.isRunning || whyNotTest !== undefined}
              onClick={() => void test(name)}
            >
              <RefreshCw aria-hidden /> {machine.test.isRunning ? 'Testing' : 'Test again'}
            </Button>
            <Button kind="danger" disabled={whyNotChange !== undefined} onClick={() => setAsks(true)}>
              <Trash2 aria-hidden /> Remove
            </Button>
          </>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {[...new Set([whyNotTest, whyNotChange])].map(
        (why) =>
          why !== undefined && (
            <p key={why} className="text-ink-2">
              {why}
            </p>
          ),
      )}
      {machine === undefined && error === null && <SkeletonRows rows={8} />}
      {machine !== undefined && <About machine={machine} />}
      {asks && machine !== undefined && (
        <Confirm
          open
          onOpenChange={setAsks}
          action={`Remove machine ${name}`}
          onConfirm={async () => (await remove(name)) && go(ADDRESS.machines)}
        >
          {whatRemovalEnds(machine, (id) => endpoints[id]?.name ?? id)}
        </Confirm>
      )}
    </Page>
  )
}

function About({ machine }: { readonly machine: MachineView }) {
  const { facts, since, state } = machine
  const why = whyNotReached(machine)
  return (
    <>
      {why !== undefined && (
        <WarningNotice>
          {why} Since <RelativeTime at={since} />. Drydock keeps trying to connect.
          {state === 'unreachable' &&
            machine.workers.length > 0 &&
            ' Its jobs will be queued again without counting a retry.'}
        </WarningNotice>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Machine">
          <Facts machine={machine} />
        </Card>
        <Card title="Last test">
          <TestSteps test={machine.test} />
        </Card>
        {machine.swarm && (
          <div className="lg:col-span-2">
            <NodesCard name={machine.name} nodes={facts?.nodes} />
          </div>
        )}
        <Card title="Workers">
          <Workers machine={machine} />
        </Card>
        <Card title="Images built by Drydock">
          <Images facts={facts} />
        </Card>
      </div>
    </>
  )
}

function Facts({ machine: { way, addedAt, facts, swarm } }: { readonly machine: MachineView }) {
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 px-3 py-2">
      <Fact name="Reached by">
        <span className="font-mono text-small break-all">{connectionText(way)}</span>
      </Fact>
      <Fact name="Engine">
        {facts === undefined ? <Nothing /> : `Docker ${facts.engine}${swarm ? ', manager of a swarm' : ''}`}
      </Fact>
      <Fact name="System">{facts?.system ?? <Nothing />}</Fact>
      <Fact name="CPUs">{facts?.cpus ?? <Nothing />}</Fact>
      <Fact name="Load">{(facts && loadText(facts)) ?? <Nothing />}</Fact>
      <Fact name="Memory">{facts === undefined ? <Nothing /> : bytes(facts.memoryBytes)}</Fact>
      <Fact name="Disk of Docker">{(facts && diskText(facts)) ?? <Nothing />}</Fact>
      {facts?.unknown !== undefined && (
        <Fact name="Not known">
          <span className="text-ink-2">{facts.unknown}.</span>
        </Fact>
      )}
      <Fact name="GPUs">{facts === undefined ? <Nothing /> : <Cards facts={facts} />}</Fact>
      <Fact name="Added">
        <RelativeTime at={addedAt} />
      </Fact>
    </dl>
  )
}

function Cards({ facts: { cards, cardFault } }: { readonly facts: MachineFacts }) {
  return (
    <>
      {cards.length === 0 && 'none'}
      <ul>
        {cards.map(({ name, memoryBytes, used }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cards of a machine have their place, and often one name
          <li key={at}>
            {name}
            {memoryBytes !== undefined && `, ${bytes(memoryBytes)}`}
            <span className="text-ink-2">{(used ?? 0) > 0 ? ', used' : ', free'}</span>
          </li>
        ))}
      </ul>
      {cardFault !== undefined && <p className="text-ink-2 first-letter:uppercase">{cardFault}.</p>}
    </>
  )
}

function Workers({ machine: { name, workers, endpoints } }: { readonly machine: MachineView }) {
  const live = useAppState((state) => state.live)
  const nameOf = (id: string) => live.endpoints[id]?.name ?? id
  return (
    <>
      {workers.length === 0 && <p className="px-3 py-2 text-ink-2">No worker runs there now.</p>}
      <ul aria-label={`Workers on ${name}`} className="max-h-96 divide-y divide-line overflow-y-auto">
        {workers.map(({ workerId, endpointId }) => {
          const state = live.workers[workerId]?.state
          return (
            <li key={workerId} className="flex min-h-8 flex-wrap items-center gap-x-4 px-3 py-1">
              <Link to={ADDRESS.worker(workerId)} className="font-mono text-small text-accent hover:underline">
                {workerId}
              </Link>
              <Link to={ADDRESS.endpoint(endpointId)} className="min-w-0 flex-1 truncate hover:underline">
                {nameOf(endpointId)}
              </Link>
              {state !== undefined && <StateDot {...WORKER_STYLES[state]} />}
            </li>
          )
        })}
      </ul>
      {endpoints.length > 0 && (
        <p className="border-t border-line px-3 py-2 text-small text-ink-2">
          Endpoints assigned to this machine:{' '}
          {endpoints.map((id, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <Link
                to={ADDRESS.endpointSetting(id, 'container', 'container.machine')}
                className="text-accent underline"
              >
                {nameOf(id)}
              </Link>
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function Images({ facts }: { readonly facts: MachineFacts | undefined }) {
  if (facts === undefined) return <p className="px-3 py-2 text-ink-2">Not known until it is reached.</p>
  if (facts.images.length === 0)
    return <p className="px-3 py-2 text-ink-2">None yet: the first worker that needs one builds it.</p>
  return (
    <ul className="max-h-96 divide-y divide-line overflow-y-auto">
      {facts.images.map(({ name, bytes: size }) => (
        <li key={name} className="flex min-h-8 items-center justify-between gap-4 px-3 py-1">
          <span className="min-w-0 truncate font-mono text-small" title={name}>
            {name}
          </span>
          <span className="whitespace-nowrap text-ink-2">{bytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}

type Nodes = NonNullable<MachineFacts['nodes']>

function NodesCard({ name, nodes }: { readonly name: string; readonly nodes: Nodes | undefined }) {
  return (
    <Card title="Nodes of the swarm">
      {nodes === undefined && <p className="px-3 py-2 text-ink-2">Not known until its engine answers.</p>}
      <ul aria-label={`Nodes of ${name}`} className="divide-y divide-line">
        {nodes?.map((node) => (
          <Node key={node.name} node={node} />
        ))}
      </ul>
      <Join name={name} />
    </Card>
  )
}

function Node({ node }: { readonly node: Nodes[number] }) {
  const { name, role, state, reason, cpus, memoryBytes, cards, workers, dockerDiskBytes } = node
  const tone: Tone = state === 'ready' ? 'completed' : state === 'down' ? 'failed' : 'timed-out'
  return (
    <li className="grid grid-cols-[minmax(8rem,1fr)_minmax(8rem,1fr)_minmax(12rem,2fr)_auto] items-center gap-x-4 px-3 py-1.5">
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="text-small text-ink-2">{role}</span>
      </span>
      <StateDot tone={tone} text={state} detail={reason} />
      <span className="min-w-0 truncate text-ink-2">
        {cpus} CPUs, {bytes(memoryBytes)}, GPUs: {cardsText({ cards })}
        {dockerDiskBytes !== undefined && `, Docker uses ${bytes(dockerDiskBytes)} of its disk`}
      </span>
      <span className="whitespace-nowrap">{workers === 1 ? '1 worker' : `${workers} workers`}</span>
    </li>
  )
}

/** On demand only, as the commands contain a secret. */
function Join({ name }: { readonly name: string }) {
  const { client } = useApp()
  const whyNot = useWhyNot('admin', 'Showing the join command')
  const read = useMutation({ mutationFn: () => client.call('machineJoin', { path: { machine: name } }) })
  return (
    <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-60 flex-1 text-ink-2">
          {whyNot ?? 'A node joins by running a Docker command there. The command contains a secret of the swarm.'}
        </p>
        <Button disabled={whyNot !== undefined || read.isPending} onClick={() => read.mutate()}>
          <KeyRound aria-hidden /> Show the join command
        </Button>
      </div>
      {read.error !== null && <ErrorNotice error={read.error} />}
      {read.data !== undefined && (
        <dl className="grid grid-cols-[8rem_minmax(0,1fr)] items-center gap-x-4">
          {(['worker', 'manager'] as const).map((role) => (
            <div key={role} className="contents">
              <dt className="text-ink-2">As a {role}</dt>
              <dd className="flex min-w-0 items-center gap-1">
                <code className="truncate font-mono text-small">{read.data[role]}</code>
                <CopyButton text={read.data[role]} what="command" />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
