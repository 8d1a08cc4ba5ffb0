/** The fleets of a data folder, joined with the system: for the service that runs on it, and for a sweep after one. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { RESOURCES, resourceProgram } from '../app-builder/machine-tools.ts'
import { type CorePorts, dockerFleet, type Fleet, joinFleets, type Log, processFleet, type Storage } from '../core.ts'
import type { DataFolder } from './data-folder.ts'
import { freePort } from './listen.ts'
import { systemIds } from './system-ports.ts'

/** What the fleets need of whoever makes them. */
export type FleetNeeds = Parameters<CorePorts['fleet']>[0] & {
  readonly folder: DataFolder
  readonly storage: Storage
  readonly log: Log
  /** Where processes reach the service, without a slash at the end. */
  readonly reach: () => { readonly workerUrl: string; readonly serviceUrl: string }
  /** Opens a listener for workers on an address of this machine; the same one for the same address. */
  readonly openForWorkers: (host: string) => Promise<{ readonly port: number }>
  /** Program that runs handlers of TypeScript; the one that runs the service without it. */
  readonly node?: string | undefined
}

const PYTHON_PATH = join(RESOURCES, 'python')

/** Makes the fleet of processes and containers; nothing runs yet. */
export function createFleets({
  folder,
  storage,
  log,
  clock,
  maxWorkers,
  registryAuth,
  reach,
  openForWorkers,
  node = process.execPath,
}: FleetNeeds): Fleet {
  return joinFleets({
    process: processFleet({
      clock,
      log,
      folder: folder.workers,
      runtimes: { pythonPath: PYTHON_PATH, node: { program: node, main: resourceProgram('node/svc-worker/main.ts') } },
      environment: process.env,
      maxWorkers,
      reach,
      freePort,
    }),
    container: dockerFleet({
      clock,
      log,
      folder: folder.workers,
      pythonPath: PYTHON_PATH,
      surroundings: { env: process.env, home: homedir(), platform: process.platform, user: userNumbers() },
      resources: RESOURCES,
      version: packageJson.version,
      registryAuth,
      maxWorkers,
      openForWorkers,
      state: containerState(storage),
    }),
  })
}

// Windows has none. Not `userInfo`: that fails for a user without a name, as `docker run --user` makes one.
function userNumbers(): string | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  return uid === undefined ? undefined : `${uid}:${gid}`
}

/** What the driver of containers remembers from run to run. */
type ContainerState = {
  /** Names the containers and networks of this data folder; a-z and 0-9. */
  readonly serviceId: () => string
  /** Whether this data folder ever had containers. */
  readonly used: () => boolean
  /** Settles when that is stored; to be awaited before the first container is made. */
  readonly setUsed: () => Promise<void>
}

const SERVICE_ID = 'containers.serviceId'

/** Keeps it in the database: the id is made with the first container. */
function containerState(storage: Pick<Storage, 'state' | 'write'>): ContainerState {
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
