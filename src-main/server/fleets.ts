/** The fleets of a data folder, joined with the system: for the service that runs on it, and for a sweep after one. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { RESOURCES, resourceProgram } from '../app-builder/machine-tools.ts'
import {
  type CorePorts,
  dockerFleet,
  type Fleet,
  joinFleets,
  type Log,
  localPlace,
  machineFleets,
  processFleet,
  type Storage,
} from '../core.ts'
import { endpointHostsUrl } from '../domain/platform/variables.ts'
import { findCertificates } from './certificates.ts'
import type { DataFolder } from './data-folder.ts'
import { freePort } from './listen.ts'
import { systemIds } from './system-ports.ts'

/** How workers on other machines reach the service: at a listener that answers them and nobody else. */
export type WayBack = {
  /** Opens it on an address of this machine, or gives the one that is open. */
  readonly open: (host: string) => Promise<{ readonly port: number }>
  /** Answers requests with this Host too, by which workers behind a relay call it. */
  readonly answerTo: (host: string) => void
}

/** What the fleets need of whoever makes them. */
export type FleetNeeds = Parameters<CorePorts['fleet']>[0] & {
  readonly folder: DataFolder
  readonly containers: ContainerState
  readonly log: Log
  /** Where processes reach the service, without a slash at the end. */
  readonly reach: () => { readonly workerUrl: string; readonly serviceUrl: string }
  /** Opens a listener for workers on an address of this machine; the same one for the same address. */
  readonly openForWorkers: (host: string) => Promise<{ readonly port: number }>
  /** How workers on other machines reach the service. */
  readonly wayBack: WayBack
}

const PYTHON_PATH = join(RESOURCES, 'python')

/** Makes the fleet of processes and containers; nothing runs yet. */
export function createFleets(needs: FleetNeeds): Fleet {
  const { folder, containers, log, clock, maxWorkers, reach } = needs
  const local = localOptions(needs)
  const place = localPlace(local)
  return joinFleets({
    process: processFleet({
      clock,
      log,
      folder: folder.workers,
      runtimes: {
        pythonPath: PYTHON_PATH,
        node: { program: process.execPath, main: resourceProgram('node/svc-worker/main.ts') },
      },
      environment: process.env,
      maxWorkers,
      reach,
      endpointHosts: async () => ({ url: endpointHostsUrl(reach().serviceUrl), bundle: await local.bundle() }),
      freePort,
      gpuProcesses: place.gpuReader.processes,
    }),
    container: dockerFleet({
      ...containerOptions(needs),
      folder: folder.workers,
      place,
      state: containers,
    }),
  })
}

/** Makes the drivers of other machines; none is opened yet. */
export function createMachineDrivers(needs: FleetNeeds): ReturnType<CorePorts['machines']> {
  return machineFleets({
    ...containerOptions(needs),
    ...localOptions(needs),
    folder: join(needs.folder.folder, 'machines'),
    networkVolumes: join(needs.folder.folder, 'volumes'),
    serviceId: needs.containers.serviceId,
    wayBack: needs.wayBack,
    freePort,
  })
}

function containerOptions({ log, clock, maxWorkers, registryAuth }: FleetNeeds) {
  return {
    clock,
    log,
    surroundings: surroundings(),
    resources: RESOURCES,
    version: packageJson.version,
    registryAuth,
    maxWorkers,
  }
}

function localOptions({ folder, openForWorkers }: FleetNeeds) {
  const bundle = async () => (await findCertificates(folder.folder)).bundle
  return { surroundings: surroundings(), pythonPath: PYTHON_PATH, openForWorkers, bundle }
}

const surroundings = () => ({ env: process.env, home: homedir(), platform: process.platform, user: userNumbers() })

// Windows has none. Not `userInfo`: that fails for a user without a name, as `docker run --user` makes one.
function userNumbers(): string | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  return uid === undefined ? undefined : `${uid}:${gid}`
}

/** What the driver of containers remembers from run to run. */
export type ContainerState = {
  /** Names the containers and networks of this data folder, and the service to machines; a-z and 0-9. */
  readonly serviceId: () => string
  /** Whether this data folder ever had containers. */
  readonly used: () => boolean
  /** Settles when that is stored; to be awaited before the first container is made. */
  readonly setUsed: () => Promise<void>
}

/** State that holds the id, from the first container on. */
export const SERVICE_ID = 'containers.serviceId'

/** Keeps it in the database: the id is made with the first container. */
export function openContainerState(storage: Pick<Storage, 'state' | 'write'>): ContainerState {
  let serviceId = storage.state.get(SERVICE_ID) as string | undefined
  const made = serviceId ?? systemIds.worker()
  return {
    serviceId: () => made,
    used: () => serviceId !== undefined,
    async setUsed() {
      if (serviceId !== undefined) return
      serviceId = made
      await storage.write(() => storage.state.set(SERVICE_ID, made))
    },
  }
}
