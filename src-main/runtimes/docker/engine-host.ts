/** Differences of remote engines: address, reachability, files and GPUs. */
import type Docker from 'dockerode'
import type { ServiceReach, Watch, WorkerAddress, WorkerSpec } from '../port.ts'
import type { Connected, EngineLocation } from './engine.ts'
import { type EngineSurroundings, engineAddresses, engineSockets } from './find-engine.ts'
import { createGpuReader, type GpuReader, hasNvidiaHook } from './gpu-inventory.ts'
import { type ContainerPorts, containerAddress } from './labels.ts'
import { findMounts, type Mount } from './mounts.ts'

export type EngineHost = EngineLocation & {
  readonly openForWorkers: (host: string, connected: Connected) => Promise<WorkerPort>
  /** Sends files to the engine. Rejects with a sentence. */
  readonly send: (spec: MountedSpec, connected: Connected, watch: Watch) => Promise<void>
  readonly mounts: (spec: MountedSpec, connected: Connected) => Promise<readonly Mount[]>
  readonly addressOf: (
    state: Docker.ContainerInspectInfo,
    ports: ContainerPorts,
    connected: Connected,
  ) => Promise<WorkerAddress>
  readonly release: (containerId: string) => void
  readonly gpuReader: GpuReader
  readonly hasGpuHook: () => boolean
  readonly user: string | undefined
}

export type WorkerPort = Pick<ServiceReach, 'isElsewhere'> & { readonly port: number }

export type MountedSpec = Pick<WorkerSpec, 'endpointId' | 'handler' | 'container' | 'app' | 'callsHosts'>

export type LocalHostOptions = {
  readonly surroundings: EngineSurroundings
  readonly pythonPath: string
  readonly bundle: () => Promise<string>
  readonly openForWorkers: (host: string) => Promise<{ readonly port: number }>
}

export function localEngine(surroundings: EngineSurroundings): EngineLocation {
  return {
    addresses: () => engineAddresses(surroundings),
    whyNoEngine(tried) {
      const attempts = tried.length === 0 ? 'there is no socket at the usual paths' : tried.join('; ')
      return `no Docker engine answers: ${attempts}. Start Docker, or set DOCKER_HOST`
    },
    isOnLinux: process.platform === 'linux',
  }
}

export function localHost({ surroundings, pythonPath, bundle, openForWorkers }: LocalHostOptions): EngineHost {
  return {
    ...localEngine(surroundings),
    send: async () => undefined,
    openForWorkers,
    mounts: (spec) =>
      findMounts(spec, { pythonPath, bundle, sockets: engineSockets(surroundings), platform: surroundings.platform }),
    addressOf: async (state, ports, { facts: { inVirtualMachine, rootless } }) =>
      containerAddress(state, ports, inVirtualMachine || rootless),
    release: () => undefined,
    gpuReader: createGpuReader({ env: surroundings.env }),
    hasGpuHook: () => hasNvidiaHook(surroundings.env.PATH ?? ''),
    user: surroundings.user,
  }
}
