import type { ManagementOperations } from '../../http/operation.ts'
import type { ServiceBase } from '../service-context.ts'
import { listRegistries, putRegistry, removeRegistry } from './registries.ts'

export const REGISTRY_OPERATIONS = {
  registryList: (_request, { storage }) => ({ registries: listRegistries(storage) }),
  registryPut: async ({ body }, service) => await putRegistry(service, body),
  async registryRemove({ path }, { storage }) {
    await removeRegistry(storage, path.name)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage' | 'clock'>>>
