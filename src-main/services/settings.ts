import { type ServiceSettings, serviceSettings } from '../contract/management.ts'
import type { Storage } from './ports/storage.ts'

const NAME = 'settings'

/** The settings of the service: read from memory, written to the database. */
export type Settings = {
  readonly get: () => ServiceSettings
  readonly update: (changes: Partial<ServiceSettings>) => Promise<ServiceSettings>
}

/** Reads the stored settings; what was never set has its default. */
export function createSettings(storage: Pick<Storage, 'write' | 'state'>): Settings {
  let current = serviceSettings.parse(storage.state.get(NAME) ?? {})
  return {
    get: () => current,
    async update(changes) {
      const next = serviceSettings.parse({ ...current, ...changes })
      await storage.write(() => storage.state.set(NAME, next))
      current = next
      return next
    },
  }
}
