import { type ServiceSettings, serviceSettings } from '../../contract/management.ts'
import type { Storage } from '../../storage/storage.ts'

const NAME = 'settings'

export type Settings = ReturnType<typeof createSettings>

export function createSettings(storage: Pick<Storage, 'write' | 'state'>) {
  const stored = () => serviceSettings.parse(storage.state.get(NAME) ?? {})
  let current = stored()
  return {
    get: (): ServiceSettings => current,
    async update(changes: Partial<ServiceSettings>): Promise<ServiceSettings> {
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
