import { join } from 'node:path'
import type { MachineConnection } from '../contract/machines.ts'
import type { MachineDriver, MachineFleets } from '../features/machines/ports.ts'
import type { Machine } from '../storage/storage.ts'
import { contextHost } from './docker/find-engine.ts'
import { openEngineMachine } from './remote/engine-machine.ts'
import type { MachineBy, MachineFleetsOptions, MachineOptions } from './remote/machine-options.ts'
import { openNoMachine } from './remote/no-machine.ts'
import { openSshMachine } from './remote/ssh-machine.ts'
import { openSwarmMachine } from './swarm/swarm-machine.ts'

type OpenMachine<Kind extends MachineConnection['kind']> = (
  machine: MachineBy<Kind>,
  options: MachineOptions,
) => MachineDriver

/** THE table. Swarms need the reverse tunnel of an SSH manager; local connections have none. */
const WAYS: { readonly [Kind in MachineConnection['kind']]: OpenMachine<Kind> } = {
  ssh: (machine, options) => (machine.swarm ? openSwarmMachine : openSshMachine)(machine, options),
  context: openContextMachine,
  tcp: ({ way, swarm }, options) =>
    swarm
      ? openNoMachine(`a swarm without SSH`, options.clock)
      : openEngineMachine({ host: way.url, source: way.url }, options),
}

export function createMachineFleets(options: MachineFleetsOptions): MachineFleets {
  function open(machine: Machine): MachineDriver {
    const openByKind = WAYS[machine.way.kind] as OpenMachine<MachineConnection['kind']>
    return openByKind(machine, {
      ...options,
      folder: join(options.folder, machine.id),
      state: { serviceId: () => machine.id, used: () => true, setUsed: async () => undefined },
      openBy: (way) => open({ ...machine, way }),
    })
  }
  return { open }
}

function openContextMachine({ way, swarm }: MachineBy<'context'>, options: MachineOptions): MachineDriver {
  const host = contextHost(options.surroundings, way.name)
  if (host === undefined) return openNoMachine(`the context ${way.name}, which Docker does not know,`, options.clock)
  const ssh = sshOf(host)
  if (swarm && ssh === undefined) return openNoMachine('a swarm without SSH', options.clock)
  return ssh === undefined
    ? openEngineMachine({ host, source: `the context ${way.name}` }, options)
    : options.openBy(ssh)
}

function sshOf(host: string): MachineConnection | undefined {
  if (!host.startsWith('ssh://')) return undefined
  const { username, hostname, port } = new URL(host)
  const to = username === '' ? hostname : `${decodeURIComponent(username)}@${hostname}`
  return { kind: 'ssh', to, ...(port === '' ? {} : { port: Number(port) }) }
}
