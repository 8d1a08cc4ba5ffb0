import type { MachineWay } from '../../contract/machines.ts'
import type { MachineDriver } from '../../services/ports/machines.ts'
import { contextHost } from '../docker/find-engine.ts'
import { openEngineMachine } from './engine-machine.ts'
import type { MachineBy, MachineOptions } from './machine-options.ts'
import { openNoMachine } from './no-machine.ts'

/** Opens the machine of a context of Docker's own command, in the way that the context has. */
export function openContextMachine({ way, swarm }: MachineBy<'context'>, options: MachineOptions): MachineDriver {
  const host = contextHost(options.surroundings, way.name)
  if (host === undefined) return openNoMachine(`the context ${way.name}, which Docker does not know,`, options.clock)
  const ssh = sshOf(host)
  if (swarm && ssh === undefined) return openNoMachine('a swarm that is not reached by SSH', options.clock)
  return ssh === undefined
    ? openEngineMachine({ host, source: `the context ${way.name}` }, options)
    : options.openBy(ssh)
}

// Like ssh://ada@box:2222.
function sshOf(host: string): MachineWay | undefined {
  if (!host.startsWith('ssh://')) return undefined
  const { username, hostname, port } = new URL(host)
  const to = username === '' ? hostname : `${decodeURIComponent(username)}@${hostname}`
  return { kind: 'ssh', to, ...(port === '' ? {} : { port: Number(port) }) }
}
