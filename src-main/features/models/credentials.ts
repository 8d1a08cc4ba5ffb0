import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { ModelCredentialsView, modelCredentialsPut } from '../../contract/models.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'

const SCOPE = 'model-host'

const stored = z.object({
  token: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
})

type Secrets = Pick<Storage, 'secrets'>

export async function putModelCredentials(
  { storage, clock }: { readonly storage: Secrets & Pick<Storage, 'write'>; readonly clock: Pick<Clock, 'now'> },
  { host, ...secret }: z.output<typeof modelCredentialsPut>,
): Promise<ModelCredentialsView> {
  const updatedAt = clock.now()
  await storage.write(() => storage.secrets.put(SCOPE, host, JSON.stringify(secret), updatedAt))
  return viewOf(host, secret, updatedAt)
}

export function listModelCredentials({ secrets }: Secrets): ModelCredentialsView[] {
  return secrets.list(SCOPE).flatMap(({ name, updatedAt }) => {
    const secret = read({ secrets }, name)
    return secret === undefined ? [] : [viewOf(name, secret, updatedAt)]
  })
}

export function authorizationFor({ secrets }: Secrets, host: string): string | undefined {
  const secret = read({ secrets }, host.toLowerCase())
  if (secret === undefined) return undefined
  if (secret.token !== undefined) return `Bearer ${secret.token}`
  return `Basic ${Buffer.from(`${secret.username}:${secret.password}`).toString('base64')}`
}

export async function removeModelCredentials(storage: Secrets & Pick<Storage, 'write'>, host: string): Promise<void> {
  if (!(await storage.write(() => storage.secrets.remove(SCOPE, host))))
    throw new AppError('CREDENTIALS_NOT_FOUND', { host: host.slice(0, 100) })
}

function read({ secrets }: Secrets, host: string) {
  const secret = secrets.get(SCOPE, host)
  return secret === undefined ? undefined : stored.parse(JSON.parse(secret))
}

function viewOf(host: string, { username }: z.infer<typeof stored>, updatedAt: number): ModelCredentialsView {
  return { host, updatedAt, ...(username === undefined ? {} : { username }) }
}
