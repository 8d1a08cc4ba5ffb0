/** Container options of a worker. Pure, so that each rule is testable. */
import { basename } from 'node:path'
import type Docker from 'dockerode'
import { CODE_FOLDER, type ContainerSettings } from '../../contract/container.ts'
import { listeningVariables } from '../../features/load-balancing/rules/listening-variables.ts'
import { containerLimits, PROFILES } from '../../features/workers/rules/container-limits.ts'
import { HOST_OF_CONTAINERS, LOOPBACK } from '../../lib/own-addresses.ts'
import type { WorkerSpec } from '../port.ts'
import type { GpuDevices } from '../rules/gpu-devices.ts'
import type { EngineFacts } from './engine.ts'
import { type Mount, RUNTIME_FOLDER } from './mounts.ts'
import type { WorkerNetwork } from './networks.ts'

export type ContainerPlan = {
  readonly spec: WorkerSpec
  readonly image: string
  readonly mounts: readonly Mount[]
  readonly serviceUser: string | undefined
  readonly network: Pick<WorkerNetwork, 'name' | 'extraHosts' | 'endpointHosts'>
  readonly engine: Pick<EngineFacts, 'cpus' | 'memoryBytes' | 'inVirtualMachine' | 'rootless'>
  readonly labels: Readonly<Record<string, string>>
  readonly gpus: GpuDevices
}

const LOG_BYTES = '8m'
const NANO = 1e9

export function containerOptions(plan: ContainerPlan): Docker.ContainerCreateOptions {
  const { spec, image, network, labels } = plan
  const settings = spec.container
  if (settings === undefined) throw new Error('the endpoint has no container settings')
  const user = userOf(plan, settings)
  return {
    Image: image,
    Labels: { ...labels },
    Env: Object.entries(environmentOf(plan)).map(([name, value]) => `${name}=${value}`),
    ...(user === undefined ? {} : { User: user }),
    ...(spec.handler === undefined ? {} : { WorkingDir: CODE_FOLDER }),
    ...program(spec),
    ExposedPorts: Object.fromEntries(publishedPorts(plan).map((port) => [port, {}])),
    HostConfig: { NetworkMode: network.name, ...hostConfig(plan) },
  }
}

/**
 * Container user. Foreign images keep theirs; ours run as the service's user, since without capabilities even root
 * needs matching ownership. Rootless engines map root to the user, and virtual machines share folders anyway.
 */
function userOf({ engine, serviceUser }: ContainerPlan, { profile, image }: ContainerSettings): string | undefined {
  const { user } = PROFILES[profile]
  if (user !== undefined || image !== undefined) return user
  if (engine.rootless) return '0:0'
  return engine.inVirtualMachine ? undefined : serviceUser
}

function program({
  handler,
  command,
  container,
}: WorkerSpec): Pick<Docker.ContainerCreateOptions, 'Entrypoint' | 'Cmd'> {
  if (handler !== undefined)
    return { Entrypoint: ['python3', '-m', 'svc_worker'], Cmd: [`${CODE_FOLDER}/${basename(handler)}`] }
  if (command !== undefined) return { Entrypoint: ['/bin/sh', '-c'], Cmd: [`exec ${command}`] }
  return {
    ...(container?.entrypoint === undefined ? {} : { Entrypoint: container.entrypoint }),
    ...(container?.args === undefined ? {} : { Cmd: container.args }),
  }
}

function environmentOf({ spec, gpus }: ContainerPlan): Readonly<Record<string, string>> {
  const { loadBalanced, handler } = spec
  return {
    PYTHONUNBUFFERED: '1',
    ...spec.env,
    ...(handler === undefined ? {} : { PYTHONPATH: [RUNTIME_FOLDER, spec.env.PYTHONPATH].filter(Boolean).join(':') }),
    ...(loadBalanced === undefined ? {} : listeningVariables(loadBalanced)),
    ...gpus.env, // last: neither image nor user may choose other GPUs
  }
}

function hostConfig(plan: ContainerPlan): Docker.HostConfig {
  const { spec, engine, gpus } = plan
  const settings = spec.container
  if (settings === undefined) return {}
  const profile = PROFILES[settings.profile]
  const limits = containerLimits(settings, engine)
  return {
    Init: true,
    ...(profile.dropCapabilities ? { CapDrop: ['ALL'] } : {}),
    ...(settings.capabilities.length > 0
      ? { CapAdd: settings.capabilities.map((name) => name.replace(/^CAP_/, '')) }
      : {}),
    ...(profile.newPrivileges ? {} : { SecurityOpt: ['no-new-privileges'] }),
    ...(profile.readOnlyRoot ? { ReadonlyRootfs: true, Tmpfs: { '/tmp': 'size=1g,mode=1777' } } : {}),
    PidsLimit: limits.processes,
    Memory: limits.memoryBytes,
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * NANO),
    ShmSize: limits.shmBytes,
    ...(limits.diskBytes === undefined ? {} : { StorageOpt: { size: String(limits.diskBytes) } }),
    LogConfig: { Type: 'json-file', Config: { 'max-size': LOG_BYTES, 'max-file': '2' } },
    ExtraHosts: extraHosts(plan),
    Mounts: plan.mounts.map(engineMount),
    PortBindings: Object.fromEntries(publishedPorts(plan).map((port) => [port, [{ HostIp: LOOPBACK }]])),
    ...gpus.hostConfig,
  }
}

function extraHosts({ spec: { callsHosts }, network }: ContainerPlan): string[] {
  const { extraHosts, endpointHosts } = network
  if (callsHosts === undefined) return [...extraHosts]
  const names = [HOST_OF_CONTAINERS, ...callsHosts.map((name) => `${name}.${HOST_OF_CONTAINERS}`)]
  return [...new Set([...extraHosts, ...names.map((name) => `${name}:${endpointHosts.address}`)])]
}

const engineMount = ({ type, source, target, readOnly }: Mount): Docker.MountConfig[number] => ({
  Type: type,
  Source: source,
  Target: target,
  ReadOnly: readOnly,
})

// If container addresses are unreachable, the engine publishes ports on loopback.
function publishedPorts({ spec, engine }: ContainerPlan): readonly string[] {
  const ports = new Set(spec.container?.ports)
  if (spec.loadBalanced !== undefined && (engine.inVirtualMachine || engine.rootless)) {
    ports.add(spec.loadBalanced.port)
    ports.add(spec.loadBalanced.healthPort ?? spec.loadBalanced.port)
  }
  return [...ports].map((port) => `${port}/tcp`)
}
