import {
  type RegistryCreate,
  type RegistryCredentials,
  type RegistryView,
  registryCreate,
} from '../../contract/container.ts'
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'

const SCOPE = 'registry'

const credentials = registryCreate.pick({ server: true, username: true, password: true })

type Secrets = Pick<Storage, 'secrets'>

export async function putRegistry(
  { storage, clock }: { readonly storage: Secrets & Pick<Storage, 'write'>; readonly clock: Clock },
  { name, ...secret }: RegistryCreate,
): Promise<RegistryView> {
  const updatedAt = clock.now()
  await storage.write(() => storage.secrets.put(SCOPE, name, JSON.stringify(secret), updatedAt))
  return { name, server: secret.server, username: secret.username, updatedAt }
}

export function listRegistries({ secrets }: Secrets): readonly RegistryView[] {
  return secrets.list(SCOPE).flatMap(({ name, updatedAt }) => {
    const found = registryCredentials({ secrets }, name)
    return found === undefined ? [] : [{ name, server: found.server, username: found.username, updatedAt }]
  })
}

export function registryCredentials({ secrets }: Secrets, name: string): RegistryCredentials | undefined {
  const secret = secrets.get(SCOPE, name)
  return secret === undefined ? undefined : credentials.parse(JSON.parse(secret))
}

export async function removeRegistry(storage: Secrets & Pick<Storage, 'write'>, name: string): Promise<void> {
  if (!(await storage.write(() => storage.secrets.remove(SCOPE, name))))
    throw new AppError('REGISTRY_NOT_FOUND', { name: name.slice(0, 100) })
}
