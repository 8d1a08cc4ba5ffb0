import { limit } from '../../contract/limits.ts'
import { registryCreate } from '../../contract/registry.ts'
import { listRegistries, putRegistry, removeRegistry } from '../../services/management/registries.ts'
import { readJson } from '../read-body.ts'
import type { AppHandler } from './app-handler.ts'

/** The credentials of image registries; a password goes in and never comes out. */
export const REGISTRY_OPERATIONS = {
  registryList: (c, { storage }) => c.json({ registries: listRegistries(storage) }),
  async registryPut(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    return c.json(await putRegistry(service, registryCreate.parse(value)))
  },
  async registryRemove(c, { storage }) {
    await removeRegistry(storage, c.req.param('name') ?? '')
    return c.json({ ok: true as const })
  },
} as const satisfies Record<string, AppHandler>
