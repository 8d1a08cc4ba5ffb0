import type { MachineWay } from '../../contract/machines.ts'
import type { Watch } from '../../services/ports/fleet.ts'
import type { MachineDriver } from '../../services/ports/machines.ts'
import type { Machine } from '../../services/ports/storage.ts'
import type { DockerFleetOptions } from '../docker/docker-fleet.ts'
import type { LocalPlaceOptions } from '../docker/place.ts'

/** Of what nobody waits for. */
export const UNWATCHED: Watch = { report: () => undefined, signal: new AbortController().signal }

/** What drivers of machines are made with. */
export type MachineFleetsOptions = Omit<DockerFleetOptions, 'state' | 'place'> &
  LocalPlaceOptions & {
    /** A port of this machine that nobody has. */
    readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
    /** Folder of this machine in which network volumes are folders. */
    readonly networkVolumes: string
    /** Names the service to machines. */
    readonly serviceId: () => string
    /** How workers on other machines reach the service: at a listener that answers them and nobody else. */
    readonly wayBack: {
      readonly open: (host: string) => Promise<{ readonly port: number }>
      readonly answerTo: (host: string) => void
    }
  }

/** What the driver of one machine is made with. Its state names what it makes on the engine by the machine's id. */
export type MachineOptions = MachineFleetsOptions & {
  readonly state: DockerFleetOptions['state']
  /** Opens a machine in another way: of a context, say, that turns out to be SSH. */
  readonly openBy: (way: MachineWay) => MachineDriver
}

/** A machine that is reached in a way of this kind. */
export type MachineBy<Kind extends MachineWay['kind']> = Machine & { readonly way: Extract<MachineWay, { kind: Kind }> }
