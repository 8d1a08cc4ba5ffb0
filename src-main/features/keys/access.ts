import type { Clock, Log, NewId } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import { createKeys } from './keys.ts'
import { createNamedKeys } from './named-keys.ts'
import { createOpenStreams } from './open-streams.ts'
import { createSessions } from './sessions.ts'

export type Access = ReturnType<typeof createAccess>

export function createAccess(deps: {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints' | 'keys'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly prepareKeyFile: (key: string) => () => void
}) {
  const namedKeys = createNamedKeys(deps)
  const keys = createKeys({ ...deps, namedKeys })
  const sessions = createSessions({ ...deps, namedKeys })
  return {
    keys,
    namedKeys,
    sessions,
    openStreams: createOpenStreams(deps),
    async rotateAccountKey() {
      const key = deps.newId.key()
      // On a full disk this throws before the old key is revoked.
      const publish = deps.prepareKeyFile(key)
      // Started in the same turn, so that they share one commit.
      await Promise.all([keys.setAccountKey(key), sessions.endAll()])
      publish()
    },
  }
}
