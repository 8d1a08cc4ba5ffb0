import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import type { MachineFacts } from '../../../src-main/contract/machines.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import type { Tone } from '../../ui/colours.ts'
import { bytes } from '../../ui/format.ts'
import { ErrorNotice } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useWhyNot } from '../../ui/use-role.ts'
import { cardsText } from './machine-state.ts'

type Nodes = NonNullable<MachineFacts['nodes']>

export function NodesCard({ name, nodes }: { readonly name: string; readonly nodes: Nodes | undefined }) {
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
