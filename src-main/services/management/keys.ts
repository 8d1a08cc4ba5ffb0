import type { Endpoint, NewId, Storage } from '../ports.ts'

const ACCOUNT = 'account.keyHash'

/** Whom a key belongs to. */
export type KeyHolder = 'account' | 'endpoint' | undefined

/** The keys of the service: stored as hashes, compared in constant time. Source: job-api, Authentication. */
export type Keys = {
  /** Who sent this key: the account, the given endpoint, or nobody. */
  readonly holder: (key: string, endpoint: Endpoint | undefined) => KeyHolder
  /** Whether this is the account key. */
  readonly isAccountKey: (key: string) => boolean
  /** Makes a new account key; the old one is void. The caller shows or writes it, once. */
  readonly rotateAccountKey: () => Promise<string>
}

/** Makes the keys. */
export function createKeys({
  storage,
  newId,
}: {
  readonly storage: Pick<Storage, 'write' | 'state'>
  readonly newId: NewId
}): Keys {
  let accountHash = readHash(storage.state.get(ACCOUNT))
  const matches = (hash: Uint8Array, stored: Uint8Array | undefined) =>
    stored !== undefined && newId.sameHash(hash, stored)
  return {
    holder(key, endpoint) {
      const hash = newId.hash(key)
      // Both are compared always, so that the time says nothing.
      const isAccount = matches(hash, accountHash)
      const isEndpoint = matches(hash, endpoint?.keyHash)
      return isAccount ? 'account' : isEndpoint ? 'endpoint' : undefined
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
