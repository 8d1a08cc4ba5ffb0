import type { MachineConnection } from '../../contract/machines.ts'
import type { MachineDriver } from '../../features/machines/ports.ts'
import type { Machine } from '../../storage/storage.ts'
import type { DockerFleetOptions } from '../docker/docker-fleet.ts'
import type { LocalHostOptions } from '../docker/engine-host.ts'
import type { Watch } from '../port.ts'

export const UNWATCHED: Watch = { report: () => undefined, signal: new AbortController().signal }

export type MachineFleetsOptions = Omit<DockerFleetOptions, 'state' | 'place'> &
  LocalHostOptions & {
    readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
    readonly networkVolumes: string
    readonly serviceId: () => string
    readonly tunnel: {
      readonly open: (host: string) => Promise<{ readonly port: number }>
      readonly answerTo: (host: string) => void
    }
  }

export type MachineOptions = MachineFleetsOptions & {
  readonly state: DockerFleetOptions['state']
  readonly openBy: (way: MachineConnection) => MachineDriver
}

export type MachineBy<Kind extends MachineConnection['kind']> = Machine & {
  readonly way: Extract<MachineConnection, { kind: Kind }>
}
