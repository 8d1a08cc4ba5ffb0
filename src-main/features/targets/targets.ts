import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { TargetCreate, TargetView } from '../../contract/targets.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { checkKey } from './read-target.ts'
import { createTargetClient, type TargetAccess, type TargetClientDeps } from './target-client.ts'

const SCOPE = 'target'

const access = z.object({ url: z.string(), key: z.string() })

type Secrets = Pick<Storage, 'secrets'>
type Writing = Secrets & Pick<Storage, 'write' | 'targetDeploys'>

export async function putTarget(
  deps: TargetClientDeps & { readonly storage: Writing; readonly clock: Clock; readonly stopping: AbortSignal },
  { name, url, key }: TargetCreate,
): Promise<TargetView> {
  const { storage, clock, stopping } = deps
  await checkKey(createTargetClient(deps, { url, key }, stopping))
  const updatedAt = clock.now()
  await storage.write(() => {
    // Builds of another service are no rollback targets, so the records go when the URL changes.
    if (urlBefore(storage, name) !== url) storage.targetDeploys.forget(name)
    storage.secrets.put(SCOPE, name, JSON.stringify({ url, key }), updatedAt)
  })
  return { name, url, updatedAt }
}

export function listTargets(storage: Secrets): readonly TargetView[] {
  return storage.secrets.list(SCOPE).flatMap(({ name, updatedAt }) => {
    const found = readAccess(storage, name)
    return found === undefined ? [] : [{ name, url: found.url, updatedAt }]
  })
}

export function requireTarget(storage: Secrets, name: string): TargetAccess {
  const found = readAccess(storage, name)
  if (found === undefined) throw new AppError('TARGET_NOT_FOUND', { target: name.slice(0, 100) })
  return found
}

export async function removeTarget(storage: Writing, name: string): Promise<void> {
  const removed = await storage.write(() => {
    storage.targetDeploys.forget(name)
    return storage.secrets.remove(SCOPE, name)
  })
  if (!removed) throw new AppError('TARGET_NOT_FOUND', { target: name.slice(0, 100) })
}

// A stored target that can no longer be read is replaced anyway.
function urlBefore(storage: Secrets, name: string): string | undefined {
  try {
    return readAccess(storage, name)?.url
  } catch (error) {
    if (error instanceof AppError && error.code === 'SECRET_LOST') return undefined
    throw error
  }
}

function readAccess({ secrets }: Secrets, name: string): TargetAccess | undefined {
  const secret = secrets.get(SCOPE, name)
  return secret === undefined ? undefined : access.parse(JSON.parse(secret))
}
