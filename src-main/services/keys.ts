import type { Endpoint, NamedKey, Storage } from './ports/storage.ts'
/**
 * Who a key is. The account opens everything; a named key what its role may do; an endpoint's key that endpoint; the
 * token of a worker that calls others, a peer, the endpoints of its app and environment, or those of no app where it is
 * of none, as long as it lives. All are
 * stored as hashes and compared in constant time. Source: docs/spec/job-api.md, 9; of named keys and peers ours: a team
 * shares a machine, and code of an app needs no more.
 */

import { ACCOUNT_NAME } from '../contract/keys.ts'
import type { Role } from '../contract/roles.ts'
import { type AppTarget, isSameTarget, targetOf } from '../domain/app/app-target.ts'
import type { NamedKeys } from './named-keys.ts'
import type { NewId } from './ports/system.ts'
import type { WorkerRegistry } from './worker-registry.ts'

const ACCOUNT = 'account.keyHash'

/** Whom a key belongs to. */
type KeyHolder = 'account' | 'named' | 'endpoint' | 'peer'

/** Who asks. A guest has no key. */
export type Caller = {
  readonly holder: KeyHolder | 'guest'
  /** What the account or a named key may do; undefined: nothing but to use what its key opens. */
  readonly role: Role | undefined
  /** Name of that key, as in the list of changes. */
  readonly name: string | undefined
  /** The app that its key is of. */
  readonly within: AppTarget | undefined
}

/**
 * A random text that is as hard to guess as a key, without its mark, as it is none and must not be taken for one: the
 * secret of a session, or the id of something whose address is its key.
 */
export const newSecretId = (newId: Pick<NewId, 'key'>): string => newId.key().replace(/^dk_/, '')

/** Who brings no key. */
export const GUEST: Caller = { holder: 'guest', role: undefined, name: undefined, within: undefined }

/** The caller with the account key. */
export const ACCOUNT_CALLER: Caller = { holder: 'account', role: 'admin', name: ACCOUNT_NAME, within: undefined }

const callerWithout = (holder: 'endpoint' | 'peer', within: AppTarget | undefined): Caller => ({
  holder,
  role: undefined,
  name: undefined,
  within,
})

/** The keys of the service. */
export type Keys = {
  /** As whom this key opens the endpoint; undefined: it does not. What its role is good for is asked elsewhere. */
  readonly callerOn: (key: string, endpoint: Endpoint | undefined) => Caller | undefined
  /** Whose key this is, whatever it opens; undefined: nobody's. It looks through all endpoints. */
  readonly callerOf: (key: string) => Caller | undefined
  /** Whether this is the account key. */
  readonly isAccountKey: (key: string) => boolean
  /** Replaces the account key; the old one is void. */
  readonly setAccountKey: (key: string) => Promise<void>
}

/** Whether a caller may know what is in this environment. */
export function maySee({ role, within }: Caller, target: AppTarget): boolean {
  return role !== undefined || isSameTarget(within, target)
}

/** Recognises keys by the hashes that are stored. */
export function createKeys({
  storage,
  newId,
  registry,
  namedKeys,
}: {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints'>
  readonly newId: NewId
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly namedKeys: Pick<NamedKeys, 'withHash'>
}): Keys {
  let accountHash = readHash(storage.state.get(ACCOUNT))
  const matches = (hash: Uint8Array, stored: Uint8Array | undefined) =>
    stored !== undefined && newId.sameHash(hash, stored)
  const peerWith = (hash: Uint8Array) =>
    registry.all().find(({ callsWithin, tokenHash }) => callsWithin !== undefined && matches(hash, tokenHash))
  return {
    callerOn(key, endpoint) {
      const hash = newId.hash(key)
      // All are compared always, so that the time says nothing.
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
    callerOf(key) {
      const hash = newId.hash(key)
      if (matches(hash, accountHash)) return ACCOUNT_CALLER
      const named = namedKeys.withHash(hash)
      if (named !== undefined) return callerNamed(named)
      const endpoint = storage.endpoints.all().find(({ keyHash }) => matches(hash, keyHash))
      if (endpoint !== undefined) return callerWithout('endpoint', targetOf(endpoint.config.app))
      const peer = peerWith(hash)
      return peer && callerWithout('peer', peer.app)
    },
    isAccountKey: (key) => matches(newId.hash(key), accountHash),
    async setAccountKey(key) {
      const hash = newId.hash(key)
      await storage.write(() => storage.state.set(ACCOUNT, [...hash]))
      accountHash = hash
    },
  }
}

/** The caller with a named key. */
export const callerNamed = ({ name, role }: Pick<NamedKey, 'name' | 'role'>): Caller => ({
  holder: 'named',
  role,
  name,
  within: undefined,
})

function readHash(stored: unknown): Uint8Array | undefined {
  return Array.isArray(stored) ? Uint8Array.from(stored as number[]) : undefined
}
