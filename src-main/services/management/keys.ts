/**
 * Who a key is. The account opens everything; an endpoint's key that endpoint; the token of a worker that calls others,
 * a peer, the endpoints of its app and environment, as long as it lives. All are kept as hashes and compared in constant
 * time. Source: job-api, Authentication; of peers ours, because code of an app needs no more.
 */
import { type AppPlace, isSamePlace, placeOf } from '../../domain/app/app-place.ts'
import type { Endpoint, NewId, Storage } from '../ports.ts'
import type { WorkerRegistry } from '../workers/worker-registry.ts'

const ACCOUNT = 'account.keyHash'

/** Whom a key belongs to. */
type KeyHolder = 'account' | 'endpoint' | 'peer'

/** The holder of a key, and the app that it is of. */
export type Caller = { readonly holder: KeyHolder; readonly within: AppPlace | undefined }

/** The keys of the service. */
export type Keys = {
  /** As whom this key opens the endpoint; undefined: it does not. */
  readonly holder: (key: string, endpoint: Endpoint | undefined) => KeyHolder | undefined
  /** Whose key this is, whatever it opens; undefined: nobody's. It looks through all endpoints. */
  readonly callerOf: (key: string) => Caller | undefined
  /** Whether this is the account key. */
  readonly isAccountKey: (key: string) => boolean
  /** Makes a new account key; the old one is void. The caller shows or writes it, once. */
  readonly rotateAccountKey: () => Promise<string>
}

/** Whether a caller may know what is in this environment. */
export function maySee({ holder, within }: Caller, place: AppPlace): boolean {
  return holder === 'account' || isSamePlace(within, place)
}

/** Makes the keys. */
export function createKeys({
  storage,
  newId,
  registry,
}: {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints'>
  readonly newId: NewId
  readonly registry: Pick<WorkerRegistry, 'all'>
}): Keys {
  let accountHash = readHash(storage.state.get(ACCOUNT))
  const matches = (hash: Uint8Array, stored: Uint8Array | undefined) =>
    stored !== undefined && newId.sameHash(hash, stored)
  const peerPlace = (hash: Uint8Array) =>
    registry.all().find(({ callsWithin, tokenHash }) => callsWithin !== undefined && matches(hash, tokenHash))
      ?.callsWithin
  return {
    holder(key, endpoint) {
      const hash = newId.hash(key)
      // Both are compared always, so that the time says nothing.
      const isAccount = matches(hash, accountHash)
      const isEndpoint = matches(hash, endpoint?.keyHash)
      if (isAccount) return 'account'
      if (isEndpoint) return 'endpoint'
      return isSamePlace(peerPlace(hash), placeOf(endpoint?.config.app)) ? 'peer' : undefined
    },
    callerOf(key) {
      const hash = newId.hash(key)
      if (matches(hash, accountHash)) return { holder: 'account', within: undefined }
      const endpoint = storage.endpoints.all().find(({ keyHash }) => matches(hash, keyHash))
      if (endpoint !== undefined) return { holder: 'endpoint', within: placeOf(endpoint.config.app) }
      const within = peerPlace(hash)
      return within && { holder: 'peer', within }
    },
    isAccountKey: (key) => matches(newId.hash(key), accountHash),
    async rotateAccountKey() {
      const key = newId.key()
      const hash = newId.hash(key)
      await storage.write(() => storage.state.set(ACCOUNT, [...hash]))
      accountHash = hash
      return key
    },
  }
}

function readHash(stored: unknown): Uint8Array | undefined {
  return Array.isArray(stored) ? Uint8Array.from(stored as number[]) : undefined
}
