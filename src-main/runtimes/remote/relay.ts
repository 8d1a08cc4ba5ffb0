/**
 * The remote reverse tunnel: a relay per worker network and one watchdog, created before the first worker. They outlive
 * the service; a later run finds them by label and repairs them. Source: docs/spec/reverse-tunnel.md, 2 and 3.
 */

import type { Log } from '../../lib/clock.ts'
import { plainJson } from '../../lib/json/plain.ts'
import { HOST_OF_CONTAINERS } from '../../lib/own-addresses.ts'
import { readContainerLogs } from '../docker/container-logs.ts'
import { removeContainer } from '../docker/container-worker.ts'
import type { Connected } from '../docker/engine.ts'
import type { WorkerPort } from '../docker/engine-host.ts'
import { engineMessage, ifThere } from '../docker/engine-messages.ts'
import { textField } from '../docker/find-engine.ts'
import { LABELS, readPortsLabel } from '../docker/labels.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'
import type { Watch } from '../port.ts'
import { UNWATCHED } from './machine-options.ts'
import { type Program, readProgram } from './read-program.ts'
import {
  type RelayNetwork,
  type RelayPlan,
  relayName,
  relayOptions,
  relayPorts,
  type TunnelThere,
  watchdogName,
  watchdogOptions,
} from './relay-containers.ts'

type Client = Pick<Connected, 'docker'>
type Docker = Client['docker']
type Container = ReturnType<Docker['getContainer']>
type Options = Parameters<Docker['createContainer']>[0]

export type Relay = ReturnType<typeof createRelay>

export type RelayOptions = {
  readonly serviceId: string
  readonly log: Log
  readonly pythonPath: string
  readonly image: (connected: Client, watch: Watch) => Promise<string>
  readonly way: (connected: Client) => Promise<TunnelThere>
  readonly lostMs: number
  readonly answerTo: (host: string) => void
}

const PROGRAM = 'svc_relay'
const PORTS_TRIED = 5
// Lines the relay prints once it listens, or cannot; source: resources/python/svc_relay/_relay.py.
const LISTENS = 'listening on '
const TAKEN = 'Address already in use'
// Python starts slowly on a loaded machine, ms; source: ours.
const LISTEN_MS = 30_000

export function createRelay({ serviceId, log, pythonPath, image, way, lostMs, answerTo }: RelayOptions) {
  let program: Promise<Program> | undefined
  // Sequential, since concurrent starts would create the same container twice.
  let last: Promise<unknown> = Promise.resolve()

  async function openNow(gateway: string, connected: Client): Promise<WorkerPort> {
    const { docker } = connected
    program ??= readProgram(pythonPath, PROGRAM)
    const { archive, hash } = await program
    const plan = { serviceId, image: await image(connected, UNWATCHED), program: hash, way: await way(connected) }
    const network = await networkAt(docker, gateway, serviceId)
    const maker = { docker, archive }
    // The watchdog comes first, so that no worker ever runs without it.
    await ensure(maker, watchdogOptions(plan, lostMs))
    const port = await ensureRelay(maker, plan, network)
    for (const host of [gateway, HOST_OF_CONTAINERS]) answerTo(`${host}:${port}`)
    return { port, isElsewhere: true }
  }

  async function ensureRelay(maker: Maker, plan: RelayPlan, network: RelayNetwork): Promise<number> {
    const before = await find(maker.docker, relayName(network))
    const known = readPortsLabel(before?.labels[LABELS.ports])?.port
    const ports = [...(known === undefined ? [] : [known]), ...relayPorts(serviceId, network, PORTS_TRIED)]
    for (const [n, port] of ports.entries()) {
      const isStarted = await ensure(maker, relayOptions(plan, network, port))
      if (isStarted !== 'taken') return port
      log.warn('the port of a relay is taken there', { port, tried: n + 1 })
    }
    throw new Error(`the relay for workers found no free port: ${ports.join(', ')} are taken`)
  }

  return {
    open(gateway: string, connected: Client): Promise<WorkerPort> {
      const opening = last
        .catch(() => undefined)
        .then(() => openNow(gateway, connected))
        .catch((error) => {
          throw new Error(`the reverse tunnel for workers could not be opened: ${engineMessage(error)}`, {
            cause: error,
          })
        })
      last = opening
      return opening
    },
    async whyEnded(containerId: string, docker: Docker): Promise<string | undefined> {
      const watchdog = await find(docker, watchdogName(serviceId))
      const lines = watchdog === undefined ? [] : await readContainerLogs(watchdog.container, undefined)
      return lines.flatMap(readReasons).findLast(({ container }) => container === containerId)?.reason
    },
    async remove(docker: Docker) {
      const filters = { label: [`${LABELS.service}=${serviceId}`, LABELS.part] }
      const found = await docker.listContainers({ all: true, filters })
      await Promise.all(found.map(({ Id }) => remove(docker.getContainer(Id))))
    },
  }
}

type Maker = { readonly docker: Docker; readonly archive: Buffer }

/**
 * Ensures that a container runs as configured.
 * @returns 'taken' if its address is unavailable
 */
async function ensure({ docker, archive }: Maker, options: Options): Promise<'runs' | 'taken'> {
  const { name = '', Labels } = options
  const before = await find(docker, name)
  const isAsItShould = before?.labels[LABELS.made] === Labels?.[LABELS.made]
  if (isAsItShould && before?.isRunning === true) return 'runs'
  const isRelay = Labels?.[LABELS.part] === 'relay'
  if (isAsItShould && before !== undefined && !isRelay) {
    await before.container.start()
    return 'runs'
  }
  if (before !== undefined) await remove(before.container)
  const container = await docker.createContainer(options)
  await container.putArchive(archive, { path: RUNTIME_FOLDER })
  await container.start()
  if (!isRelay) return 'runs'
  const said = await firstWords(container)
  if (said.includes(LISTENS)) return 'runs'
  await remove(container)
  if (said.includes(TAKEN)) return 'taken'
  throw new Error(`${name} does not listen: ${said.trim() || 'it says nothing'}`)
}

const remove = (container: Container) =>
  removeContainer(container, (error) => {
    throw error
  })

type Found = {
  readonly container: Container
  readonly labels: Readonly<Record<string, string>>
  readonly isRunning: boolean
}

async function find(docker: Docker, name: string): Promise<Found | undefined> {
  const container = docker.getContainer(name)
  const found = await container.inspect().catch(ifThere)
  if (found === undefined) return undefined
  return { container, labels: found.Config.Labels, isRunning: found.State.Running && !found.State.Restarting }
}

async function networkAt(docker: Docker, gateway: string, serviceId: string): Promise<RelayNetwork> {
  const networks = await docker.listNetworks({ filters: { label: [`${LABELS.service}=${serviceId}`] } })
  for (const { Name, IPAM } of networks) {
    const config = IPAM?.Config?.find((one) => one.Gateway === gateway)
    if (config !== undefined) return { name: Name, gateway, subnet: config.Subnet }
  }
  throw new Error(`no network of workers has the gateway ${gateway}`)
}

async function firstWords(container: Container): Promise<string> {
  const abortSignal = AbortSignal.timeout(LISTEN_MS)
  let said = ''
  try {
    const output = await container.logs({ follow: true, stdout: true, stderr: true, abortSignal })
    for await (const chunk of output) {
      said += chunk.toString()
      if (said.includes(LISTENS) || said.includes(TAKEN)) break
    }
  } catch (error) {
    if (!abortSignal.aborted) throw error
  }
  return said
}

type Ending = { readonly container: string; readonly reason: string }

function readReasons({ text }: { readonly text: string }): readonly Ending[] {
  const said = plainJson(text)
  const [container, reason] = [textField(said, 'container'), textField(said, 'reason')]
  return container === undefined || reason === undefined ? [] : [{ container, reason }]
}
