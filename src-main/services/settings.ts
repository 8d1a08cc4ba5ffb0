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
  const stored = () => serviceSettings.parse(storage.state.get(NAME) ?? {})
  let current = stored()
  return {
    get: () => current,
    async update(changes) {
      const next = await storage.write(() => {
        // Another change may have been stored since this one was asked for.
        const merged = serviceSettings.parse({ ...stored(), ...changes })
        storage.state.set(NAME, merged)
        return merged
      })
      current = next
      return next
    },
  }
}
