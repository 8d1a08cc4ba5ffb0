/**
 * Shared by the rows of other machines: a machine by ssh, or the manager of a swarm of three, a service that knows it,
 * and ways to it that count and delay.
 */
import { join } from 'node:path'
import { dockerEngine } from '../../support/docker-engine.ts'
import { type RemoteMachine, remoteMachine, sshOfUser } from '../../support/far-machine.ts'
import { remoteSwarm } from '../../support/far-swarm.ts'
import { type OpenProxy, openProxy } from '../../support/open-proxy.ts'
import { notMeasured, type Row } from '../report.ts'
import { untilSo } from './containers.ts'
import { withFolder } from './folders.ts'
import { type Service, startService } from './service.ts'

/** The ways to the machine, which is added once for each: how much longer a round trip takes, ms. */
type Ways = Readonly<Record<string, number>>

/** One machine, or a swarm, which has only one way to it. */
type There = 'machine' | 'swarm'

/** A service, and the machine by each way under the name of that way. */
export type RemoteSide = {
  readonly service: Service
  readonly folder: string
  /** The PATH with an `ssh` that knows the ways as hosts. */
  readonly searchPath: string
  /** Counts the bytes on a way. */
  readonly proxyOf: (way: string) => OpenProxy
}

/**
 * Measures with a machine, or says in a row why there is none. A proxy before its sshd holds each piece back for half of
 * the span: not every kernel can do that itself (`tc netem`).
 * @param what name of that row
 */
export async function withRemoteService(
  what: string,
  ways: Ways,
  measure: (side: RemoteSide) => Promise<readonly Row[]>,
  there: There = 'machine',
): Promise<readonly Row[]> {
  const engine = await dockerEngine()
  const made = 'why' in engine ? engine : await make(there)
  if ('why' in engine || 'why' in made) {
    const against = 'why' in engine ? engine.why : 'why' in made ? made.why : ''
    return [notMeasured(what, against)]
  }
  const { machine, stop } = made
  try {
    const { dockerHost } = engine
    return await withFolder((folder) => measureBy({ folder, machine, dockerHost, there }, ways, measure))
  } finally {
    await stop()
  }
}

async function make(there: There) {
  if (there === 'swarm') {
    const swarm = await remoteSwarm()
    return 'why' in swarm ? swarm : { machine: swarm.nodes[0], stop: swarm.stop }
  }
  const machine = await remoteMachine()
  return 'why' in machine ? machine : { machine, stop: machine.stop }
}

async function measureBy(
  {
    folder,
    machine,
    dockerHost,
    there,
  }: { readonly folder: string; readonly machine: RemoteMachine; readonly dockerHost: string; readonly there: There },
  ways: Ways,
  measure: (side: RemoteSide) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const proxies = new Map<string, OpenProxy>()
  for (const [way, longerMs] of Object.entries(ways))
    proxies.set(way, await openProxy(`http://${machine.address}:22`, '127.0.0.1', longerMs / 2))
  const proxyOf = (way: string) => proxies.get(way) as OpenProxy
  const user = sshOfUser(
    [machine],
    Object.keys(ways).flatMap((way) => hostOf(way, proxyOf(way).port, machine)),
  )
  const service = await startService(join(folder, 'service'), { DOCKER_HOST: dockerHost, PATH: user.searchPath })
  try {
    const more = there === 'swarm' ? { swarm: true } : {}
    for (const way of Object.keys(ways)) {
      await service.call('POST', '/api/machines', { name: way, way: { kind: 'ssh', to: way }, ...more })
      if (there === 'swarm') await untilSo(async () => (await nodesReady(service, way)) === NODES)
    }
    return await measure({ service, folder, searchPath: user.searchPath, proxyOf })
  } finally {
    for (const way of Object.keys(ways)) await service.call('DELETE', `/api/machines/${way}`)
    await service.stop()
    user.remove()
    for (const proxy of proxies.values()) await proxy.close()
  }
}

const NODES = 3

async function nodesReady(service: Service, name: string): Promise<number> {
  type Facts = { readonly facts?: { readonly nodes?: readonly { readonly state: string }[] } }
  const { facts } = (await service.call('GET', `/api/machines/${name}`)) as Facts
  return facts?.nodes?.filter(({ state }) => state === 'ready').length ?? 0
}

const hostOf = (way: string, port: number, { address, sshFolder }: RemoteMachine): readonly string[] => [
  `Host ${way}`,
  '  HostName 127.0.0.1',
  `  Port ${port}`,
  `  HostKeyAlias ${address}`,
  '  User root',
  `  IdentityFile ${sshFolder}/id`,
  '  IdentitiesOnly yes',
  `  UserKnownHostsFile ${sshFolder}/known_hosts`,
  '  StrictHostKeyChecking yes',
]
