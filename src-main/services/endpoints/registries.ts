/** The credentials for registries of images. */
import {
  type RegistryCreate,
  type RegistryCredentials,
  type RegistryView,
  registryCreate,
} from '../../contract/container.ts'
import { AppError } from '../../contract/errors.ts'
import type { Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'

const SCOPE = 'registry'

const credentials = registryCreate.pick({ server: true, username: true, password: true })

type Secrets = Pick<Storage, 'secrets'>

/** Stores credentials of a registry; those of the same name are replaced. */
export async function putRegistry(
  { storage, clock }: { readonly storage: Secrets & Pick<Storage, 'write'>; readonly clock: Clock },
  { name, ...secret }: RegistryCreate,
): Promise<RegistryView> {
  const updatedAt = clock.now()
  await storage.write(() => storage.secrets.put(SCOPE, name, JSON.stringify(secret), updatedAt))
  return { name, server: secret.server, username: secret.username, updatedAt }
}

/** All stored credentials, without their passwords. */
export function listRegistries({ secrets }: Secrets): readonly RegistryView[] {
  return secrets.list(SCOPE).flatMap(({ name, updatedAt }) => {
    const found = registryCredentials({ secrets }, name)
    return found === undefined ? [] : [{ name, server: found.server, username: found.username, updatedAt }]
  })
}

/**
 * What the registry is given; undefined where nothing is stored under this name.
 * @throws AppError SECRET_LOST
 */
export function registryCredentials({ secrets }: Secrets, name: string): RegistryCredentials | undefined {
  const secret = secrets.get(SCOPE, name)
  return secret === undefined ? undefined : credentials.parse(JSON.parse(secret))
}

/** Forgets credentials. @throws AppError REGISTRY_NOT_FOUND */
export async function removeRegistry(storage: Secrets & Pick<Storage, 'write'>, name: string): Promise<void> {
  if (!(await storage.write(() => storage.secrets.remove(SCOPE, name))))
    throw new AppError('REGISTRY_NOT_FOUND', { name: name.slice(0, 100) })
}
