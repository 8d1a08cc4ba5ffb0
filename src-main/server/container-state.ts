import type { Storage } from '../core.ts'
import { systemIds } from './system-ports.ts'

/** What the driver of containers remembers from run to run. */
export type ContainerState = {
  /** Names the containers and networks of this data folder; a-z and 0-9. */
  readonly serviceId: () => string
  /** Whether this data folder ever had containers. */
  readonly used: () => boolean
  /** Settles when that is stored; to be awaited before the first container is made. */
  readonly setUsed: () => Promise<void>
}

const SERVICE_ID = 'containers.serviceId'

/** Keeps it in the database: the id is made with the first container. */
export function containerState(storage: Pick<Storage, 'state' | 'write'>): ContainerState {
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
