import { createHash } from 'node:crypto'
import { OWN_PORTS } from '../../lib/own-addresses.ts'
import { MIB } from '../../lib/units.ts'
import type { Connected } from '../docker/engine.ts'
import { LABELS } from '../docker/labels.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'

type ContainerCreateOptions = Parameters<Connected['docker']['createContainer']>[0]

export type TunnelThere = {
  readonly to: { readonly folder: string; readonly socket: string } | { readonly host: string; readonly port: number }
  /** User and group ids of the folder's owner, like `1000:1000`; undefined for root. */
  readonly user?: string | undefined
  readonly groups?: readonly string[] | undefined
  readonly engineSocket: string
}

export type RelayPlan = {
  readonly serviceId: string
  readonly image: string
  readonly program: string
  readonly way: TunnelThere
}

/** One relay per worker network, so that none is interrupted by another. */
export type RelayNetwork = { readonly name: string; readonly gateway: string; readonly subnet: string | undefined }

export const relayName = ({ name }: RelayNetwork) => `${name}-relay`

export const watchdogName = (serviceId: string) => `drydock-${serviceId}-watchdog`

const FOLDER = '/reverse-tunnel'
const ENGINE = '/engine.sock'
// Two hundred workers with some connections of 128 KiB each; a watchdog needs a twentieth.
const MEMORY_BYTES = 256 * MIB
const MAX_PROCESSES = 64
const LOG = { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } }

/**
 * A network's relay, in the host network to have the workers' address, and only that: other networks and machines are
 * refused.
 */
export function relayOptions(plan: RelayPlan, network: RelayNetwork, port: number): ContainerCreateOptions {
  const allow = network.subnet === undefined ? [] : ['--allow', network.subnet]
  const argv = ['relay', '--listen', `${network.gateway}:${port}`, ...allow, '--to', targetOf(plan.way)]
  return part(plan, { part: 'relay', argv, name: relayName(network), networkMode: 'host', port })
}

/** The watchdog reaches tunnel and engine; no network if the tunnel is a socket. */
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
      // It exits successfully when idle; only the service restarts it then.
      RestartPolicy: { Name: 'on-failure' },
      // The engine cannot copy into a read-only root; the volume is removed with the container.
      Mounts: [{ Type: 'volume', Source: '', Target: RUNTIME_FOLDER, ReadOnly: false }, ...sources],
    },
  }
}

const readOnly = (Source: string, Target: string) => ({ Type: 'bind' as const, Source, Target, ReadOnly: true })

function targetOf({ to }: TunnelThere): string {
  return 'folder' in to ? `unix:${FOLDER}/${to.socket}` : `${to.host}:${to.port}`
}

/**
 * Ports a relay tries, stable per service, since surviving workers know them.
 * @param count how many
 */
export function relayPorts(serviceId: string, network: RelayNetwork, count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => {
    const hash = createHash('sha256').update(`${serviceId} ${network.name} ${n}`).digest()
    return OWN_PORTS.from + (hash.readUInt32BE(0) % OWN_PORTS.count)
  })
}
