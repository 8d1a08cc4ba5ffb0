import { homedir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { endpointHostsUrl } from '../../features/platform-api/rules/variables.ts'
import { findCertificates } from '../../http/server/certificates.ts'
import { freePort } from '../../http/server/listen.ts'
import { systemIds } from '../../http/server/system-ports.ts'
import { resourceProgram } from '../../shipped-files/resources.ts'
import { RESOURCES } from '../../shipped-files/root.ts'
import {
  type CorePorts,
  dockerFleet,
  type Fleet,
  joinFleets,
  type Log,
  localHost,
  machineFleets,
  processFleet,
  type Storage,
} from '../core.ts'
import type { DataFolder } from './data-folder.ts'

/** How remote workers reach the service: a listener that serves only them. */
export type Tunnel = {
  readonly open: (host: string) => Promise<{ readonly port: number }>
  readonly answerTo: (host: string) => void
}

export type FleetNeeds = Parameters<CorePorts['fleet']>[0] & {
  readonly folder: DataFolder
  readonly containers: ContainerState
  readonly log: Log
  readonly reach: () => { readonly workerUrl: string; readonly serviceUrl: string }
  readonly openForWorkers: (host: string) => Promise<{ readonly port: number }>
  readonly tunnel: Tunnel
}

const PYTHON_PATH = join(RESOURCES, 'python')

export function createFleets(needs: FleetNeeds): Fleet {
  const { folder, containers, log, clock, maxWorkers, reach } = needs
  const local = localOptions(needs)
  const place = localHost(local)
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

export function createMachineDrivers(needs: FleetNeeds): ReturnType<CorePorts['machines']> {
  return machineFleets({
    ...containerOptions(needs),
    ...localOptions(needs),
    folder: join(needs.folder.folder, 'machines'),
    networkVolumes: join(needs.folder.folder, 'volumes'),
    serviceId: needs.containers.serviceId,
    tunnel: needs.tunnel,
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

// Windows has none. Not `userInfo`, which fails for users without a name, as with `docker run --user`.
function userNumbers(): string | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  return uid === undefined ? undefined : `${uid}:${gid}`
}

export type ContainerState = ReturnType<typeof openContainerState>

export const SERVICE_ID = 'containers.serviceId'

export function openContainerState(storage: Pick<Storage, 'state' | 'write'>) {
  let serviceId = storage.state.get(SERVICE_ID) as string | undefined
  const made = serviceId ?? systemIds.worker()
  return {
    serviceId: (): string => made,
    used: (): boolean => serviceId !== undefined,
    async setUsed() {
      if (serviceId !== undefined) return
      serviceId = made
      await storage.write(() => storage.state.set(SERVICE_ID, made))
    },
  }
}
