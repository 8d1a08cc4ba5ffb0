import type { Endpoint, NamedKey, Storage } from '../../storage/storage.ts'
/**
 * Maps keys to callers: the account, named keys by role, endpoint keys, and tokens of live workers for their app's
 * environment, or for endpoints of no app. Stored as hashes, compared in constant time. Source: docs/spec/job-api.md,
 * 9; named keys and peers are ours.
 */

import { ACCOUNT_NAME } from '../../contract/keys.ts'
import type { Role } from '../../contract/roles.ts'
import type { NewId } from '../../lib/clock.ts'
import { type AppTarget, isSameTarget, targetOf } from '../apps/rules/app-environment.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { NamedKeys } from './named-keys.ts'

const ACCOUNT = 'account.keyHash'

type KeyHolder = 'account' | 'named' | 'endpoint' | 'peer'

export type Caller = {
  readonly holder: KeyHolder | 'guest'
  readonly role: Role | undefined
  readonly name: string | undefined
  readonly within: AppTarget | undefined
}

/** As hard to guess as a key but without a key's prefix. */
export const newSecretId = (newId: Pick<NewId, 'key'>): string => newId.key().replace(/^dk_/, '')

export const GUEST: Caller = { holder: 'guest', role: undefined, name: undefined, within: undefined }

export const ACCOUNT_CALLER: Caller = { holder: 'account', role: 'admin', name: ACCOUNT_NAME, within: undefined }

const callerWithout = (holder: 'endpoint' | 'peer', within: AppTarget | undefined): Caller => ({
  holder,
  role: undefined,
  name: undefined,
  within,
})

export type Keys = ReturnType<typeof createKeys>

export function maySee({ role, within }: Caller, target: AppTarget): boolean {
  return role !== undefined || isSameTarget(within, target)
}

export function createKeys(deps: {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints'>
  readonly newId: NewId
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly namedKeys: Pick<NamedKeys, 'withHash'>
}) {
  const { storage, newId, registry, namedKeys } = deps
  let accountHash = readHash(storage.state.get(ACCOUNT))
  const matches = (hash: Uint8Array, stored: Uint8Array | undefined) =>
    stored !== undefined && newId.sameHash(hash, stored)
  const peerWith = (hash: Uint8Array) =>
    registry.all().find(({ callsWithin, tokenHash }) => callsWithin !== undefined && matches(hash, tokenHash))
  return {
    callerOn(key: string, endpoint: Endpoint | undefined): Caller | undefined {
      const hash = newId.hash(key)
      // All are always compared, so that timing reveals nothing.
      const isAccount = matches(hash, accountHash)
      const isEndpoint = matches(hash, endpoint?.keyHash)
      const named = namedKeys.withHash(hash)
      const within = targetOf(endpoint?.config.app)
      if (isAccount) return ACCOUNT_CALLER
      if (named !== undefined) return callerNamed(named)
      if (isEndpoint) return callerWithout('endpoint', within)
      const callsWithin = peerWith(hash)?.callsWithin
      const opens = callsWithin === 'no app' ? within === undefined : isSameTarget(callsWithin, within)
      return endpoint !== undefined && opens ? callerWithout('peer', within) : undefined
    },
    callerOf(key: string): Caller | undefined {
      const hash = newId.hash(key)
      if (matches(hash, accountHash)) return ACCOUNT_CALLER
      const named = namedKeys.withHash(hash)
      if (named !== undefined) return callerNamed(named)
      const endpoint = storage.endpoints.all().find(({ keyHash }) => matches(hash, keyHash))
      if (endpoint !== undefined) return callerWithout('endpoint', targetOf(endpoint.config.app))
      const peer = peerWith(hash)
      return peer && callerWithout('peer', peer.app)
    },
    isAccountKey: (key: string): boolean => matches(newId.hash(key), accountHash),
    async setAccountKey(key: string) {
      const hash = newId.hash(key)
      await storage.write(() => storage.state.set(ACCOUNT, [...hash]))
      accountHash = hash
    },
  }
}

export const callerNamed = ({ name, role }: Pick<NamedKey, 'name' | 'role'>): Caller => ({
  holder: 'named',
  role,
  name,
  within: undefined,
})

function readHash(stored: unknown): Uint8Array | undefined {
  return Array.isArray(stored) ? Uint8Array.from(stored as number[]) : undefined
}
