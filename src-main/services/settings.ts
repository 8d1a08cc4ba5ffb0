import { type ServiceSettings, serviceSettings } from '../contract/management.ts'
import type { Storage } from './ports/storage.ts'

const NAME = 'settings'

export type Settings = {
  readonly get: () => ServiceSettings
  readonly update: (changes: Partial<ServiceSettings>) => Promise<ServiceSettings>
}

export function createSettings(storage: Pick<Storage, 'write' | 'state'>): Settings {
  const stored = () => serviceSettings.parse(storage.state.get(NAME) ?? {})
  let current = stored()
  return {
    get: () => current,
    async update(changes) {
      const next = await storage.write(() => {
        // Another change may have been stored since this one was requested.
        const merged = serviceSettings.parse({ ...stored(), ...changes })
        storage.state.set(NAME, merged)
        return merged
      })
      current = next
      return next
    },
  }
}
