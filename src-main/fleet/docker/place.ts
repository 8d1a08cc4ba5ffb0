/**
 * All in which an engine elsewhere differs from that of this machine: where it answers, how its workers reach the service
 * and the service reaches them, whose files they see, whose cards they get. The driver of containers asks for it here.
 */
import type Docker from 'dockerode'
import type { ServiceReach, Watch, WorkerAddress, WorkerSpec } from '../../services/ports/fleet.ts'
import type { Connected, EnginePlace } from './engine.ts'
import { type EngineSurroundings, engineAddresses, engineSockets } from './find-engine.ts'
import { createGpuReader, type GpuReader, hasNvidiaHook } from './gpu-inventory.ts'
import { type ContainerPorts, containerAddress } from './labels.ts'
import { findMounts, type Mount } from './mounts.ts'

/** A place where an engine runs workers. */
export type DockerPlace = EnginePlace & {
  /** Makes the service answer workers at an address of the engine's machine; the same port for the same address. */
  readonly openForWorkers: (host: string, connected: Connected) => Promise<WorkerPort>
  /** Brings the files of workers to the engine, who would else wait for them. Rejects with a sentence for a person. */
  readonly send: (spec: MountedSpec, connected: Connected, watch: Watch) => Promise<void>
  /** The files that a container gets. Rejects with a sentence for a person. */
  readonly mounts: (spec: MountedSpec, connected: Connected) => Promise<readonly Mount[]>
  /** Where this machine reaches a load-balanced worker. Rejects with a sentence for a person. */
  readonly addressOf: (
    state: Docker.ContainerInspectInfo,
    ports: ContainerPorts,
    connected: Connected,
  ) => Promise<WorkerAddress>
  /** A container has ended: nobody needs its address any more. */
  readonly release: (containerId: string) => void
  /** The cards beside the engine. */
  readonly gpuReader: GpuReader
  /** Whether the program by which Docker hands out cards is installed; its engine does not tell. */
  readonly hasGpuHook: () => boolean
  /** Number of the user and group whose files workers see, like `1000:1000`; undefined where there are none. */
  readonly user: string | undefined
}

/** Where workers reach the service. `isElsewhere`: what reaches it there is no program of this machine. */
export type WorkerPort = Pick<ServiceReach, 'isElsewhere'> & { readonly port: number }

/** What of a worker says which files it gets. */
export type MountedSpec = Pick<WorkerSpec, 'endpointId' | 'handler' | 'container' | 'app' | 'callsHosts'>

/** What this machine is asked. */
export type LocalPlaceOptions = {
  readonly surroundings: EngineSurroundings
  /** Folder of this machine that holds svc_worker. */
  readonly pythonPath: string
  /** Gives the file with the authorities that workers trust which call endpoints as hosts. */
  readonly bundle: () => Promise<string>
  /** Opens a listener for workers on an address of this machine; the same one for the same address. */
  readonly openForWorkers: (host: string) => Promise<{ readonly port: number }>
}

/** This machine: its engine sees the same files, and the service has an address on the networks of the workers. */
export function localPlace({ surroundings, pythonPath, bundle, openForWorkers }: LocalPlaceOptions): DockerPlace {
  return {
    addresses: () => engineAddresses(surroundings),
    whyNoEngine(tried) {
      const attempts = tried.length === 0 ? 'there is no socket at the usual paths' : tried.join('; ')
      return `no Docker engine answers: ${attempts}. Start Docker, or set DOCKER_HOST`
    },
    isOnLinux: process.platform === 'linux',
    send: async () => undefined, // it sees them
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
