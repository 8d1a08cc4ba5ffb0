/** What the engine of another machine is asked for when the containers of the way back are made there. Pure. */
import { createHash } from 'node:crypto'
import { MIB } from '../../contract/units.ts'
import { OWN_PORTS } from '../../domain/own-addresses.ts'
import type { Connected } from '../docker/engine.ts'
import { LABELS } from '../docker/labels.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'

type ContainerCreateOptions = Parameters<Connected['docker']['createContainer']>[0]

/** Where the way back begins on the other machine, and who may use it there. */
export type WayBackThere = {
  /** A socket of a folder that its user alone may open, or an address of a network. */
  readonly to: { readonly folder: string; readonly socket: string } | { readonly host: string; readonly port: number }
  /** Numbers of the user and group whom the folder belongs to, like `1000:1000`; undefined: root. */
  readonly user?: string | undefined
  /** Numbers of all groups of that user, one of which may have the engine's socket. */
  readonly groups?: readonly string[] | undefined
  /** The engine's socket, as the machine itself sees it. */
  readonly engineSocket: string
}

/** All that such a container is made of. */
export type RelayPlan = {
  readonly serviceId: string
  readonly image: string
  /** Hash of the program. */
  readonly program: string
  readonly way: WayBackThere
}

/** A relay is one for each network of workers, so that none is cut when another one is needed. */
export type RelayNetwork = { readonly name: string; readonly gateway: string; readonly subnet: string | undefined }

/** Name of the relay of a network. */
export const relayName = ({ name }: RelayNetwork) => `${name}-relay`

/** Name of the watchdog of a service. */
export const watchdogName = (serviceId: string) => `drydock-${serviceId}-watchdog`

const FOLDER = '/way-back'
const ENGINE = '/engine.sock'
// Two hundred workers with a handful of connections each, at 128 KiB; a watchdog needs a twentieth.
const MEMORY_BYTES = 256 * MIB
const MAX_PROCESSES = 64
const LOG = { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } }

/**
 * The relay of a network. It is on the network of the machine itself, to have the address by which workers know the
 * service, and nothing but that address: workers of other networks, and other machines, are not let in.
 */
export function relayOptions(plan: RelayPlan, network: RelayNetwork, port: number): ContainerCreateOptions {
  const allow = network.subnet === undefined ? [] : ['--allow', network.subnet]
  const argv = ['relay', '--listen', `${network.gateway}:${port}`, ...allow, '--to', targetOf(plan.way)]
  return part(plan, { part: 'relay', argv, name: relayName(network), networkMode: 'host', port })
}

/** The watchdog. It reaches the way back and the engine, and no network where the way back is a socket. */
export function watchdogOptions(plan: RelayPlan, afterMs: number): ContainerCreateOptions {
  const { way, serviceId } = plan
  const where = ['--to', targetOf(way), '--engine', ENGINE]
  const argv = ['watchdog', ...where, '--service', serviceId, '--after', String(afterMs / 1000)]
  const networkMode = 'folder' in way.to ? 'none' : 'host'
  return part(plan, { part: 'watchdog', argv, name: watchdogName(serviceId), networkMode, engine: true })
}

type Part = {
  readonly part: 'relay' | 'watchdog'
  readonly argv: readonly string[]
  readonly name: string
  readonly networkMode: 'host' | 'none'
  readonly port?: number
  readonly engine?: true
}

function part(
  { serviceId, image, program, way }: RelayPlan,
  { argv, engine, ...wanted }: Part,
): ContainerCreateOptions {
  const sources = [
    ...('folder' in way.to ? [readOnly(way.to.folder, FOLDER)] : []),
    ...(engine === undefined ? [] : [readOnly(way.engineSocket, ENGINE)]),
  ]
  const made = createHash('sha256')
    .update(JSON.stringify([image, program, argv, way]))
    .digest('hex')
  return {
    name: wanted.name,
    Image: image,
    Entrypoint: ['python3', '-m', 'svc_relay'],
    Cmd: [...argv],
    Env: [`PYTHONPATH=${RUNTIME_FOLDER}`, 'PYTHONDONTWRITEBYTECODE=1', 'PYTHONUNBUFFERED=1'],
    User: way.user ?? '0:0',
    Labels: {
      [LABELS.service]: serviceId,
      [LABELS.part]: wanted.part,
      [LABELS.made]: made,
      ...(wanted.port === undefined ? {} : { [LABELS.ports]: String(wanted.port) }),
    },
    HostConfig: {
      NetworkMode: wanted.networkMode,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      ...(way.groups === undefined ? {} : { GroupAdd: [...way.groups] }),
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: MAX_PROCESSES,
      LogConfig: LOG,
      // It ends well when it has nothing to do any more, and is started again by the service alone then.
      RestartPolicy: { Name: 'on-failure' },
      // Into a root that is read only the engine puts no program; a volume of its own goes with the container.
      Mounts: [{ Type: 'volume', Source: '', Target: RUNTIME_FOLDER, ReadOnly: false }, ...sources],
    },
  }
}

const readOnly = (Source: string, Target: string) => ({ Type: 'bind' as const, Source, Target, ReadOnly: true })

function targetOf({ to }: WayBackThere): string {
  return 'folder' in to ? `unix:${FOLDER}/${to.socket}` : `${to.host}:${to.port}`
}

/**
 * The ports that a relay tries, always the same for a service: workers that outlived one know its port.
 * @param count how many
 */
export function relayPorts(serviceId: string, network: RelayNetwork, count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => {
    const hash = createHash('sha256').update(`${serviceId} ${network.name} ${n}`).digest()
    return OWN_PORTS.from + (hash.readUInt32BE(0) % OWN_PORTS.count)
  })
}
