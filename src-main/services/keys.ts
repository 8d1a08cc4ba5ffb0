/**
 * Who a key is. The account opens everything; an endpoint's key that endpoint; the token of a worker that calls others,
 * a peer, the endpoints of its app and environment, as long as it lives. All are stored as hashes and compared in
 * constant time. Source: docs/spec/job-api.md, 9; of peers ours, because code of an app needs no more.
 */

import { limit } from '../contract/limits.ts'
import { type AppTarget, isSameTarget, targetOf } from '../domain/app/app-target.ts'
import type { Endpoint, Storage } from './ports/storage.ts'
import type { Clock, NewId } from './ports/system.ts'
import type { WorkerRegistry } from './worker-registry.ts'

const ACCOUNT = 'account.keyHash'

/** Whom a key belongs to. */
type KeyHolder = 'account' | 'endpoint' | 'peer'

/** The holder of a key, and the app that it is of. A guest has none. */
export type Caller = { readonly holder: KeyHolder | 'guest'; readonly within: AppTarget | undefined }

/** A random text that is as hard to guess as a key, and is none: the id of something whose address is its key. */
export const newSecretId = (newId: Pick<NewId, 'key'>): string => newId.key().replace(/^dk_/, '')

/** Who brings no key. */
export const GUEST: Caller = { holder: 'guest', within: undefined }

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
export function maySee({ holder, within }: Caller, target: AppTarget): boolean {
  return holder === 'account' || isSameTarget(within, target)
}

/** Makes the keys. */
function createKeys({
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
  const peerTarget = (hash: Uint8Array) =>
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
      return isSameTarget(peerTarget(hash), targetOf(endpoint?.config.app)) ? 'peer' : undefined
    },
    callerOf(key) {
      const hash = newId.hash(key)
      if (matches(hash, accountHash)) return { holder: 'account', within: undefined }
      const endpoint = storage.endpoints.all().find(({ keyHash }) => matches(hash, keyHash))
      if (endpoint !== undefined) return { holder: 'endpoint', within: targetOf(endpoint.config.app) }
      const within = peerTarget(hash)
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

// Browsers that are signed in. Whoever has the account key makes a link; the link signs one browser in, once, within a
// minute; from then on the browser holds the secret of its session as a cookie, which is as good as the account key
// until it ends. Only hashes are stored: of links in memory, of sessions in the database. A new account key ends them
// all. Source: ours; the limits are in contract/limits.
const SESSIONS = 'account.sessions'

/** A session as stored. `endsAt` is steady ms. */
type StoredSession = { readonly hash: readonly number[]; readonly endsAt: number }
type Link = { readonly hash: Uint8Array; readonly endsAt: number }

/** The sessions of the service. */
export type Sessions = {
  /** Makes a link. @returns its code, and until when it works in wall ms */
  readonly createLink: () => { readonly code: string; readonly expiresAt: number }
  /** Uses a link up. @returns the secret of the new session; undefined: the link is unknown, used or too old */
  readonly redeem: (code: string) => Promise<string | undefined>
  /** How many browsers are signed in. */
  readonly count: () => number
  /** Whether this is the secret of a session that has not ended. */
  readonly isOpen: (secret: string) => boolean
  /** Ends a session; one that is not there is no error. */
  readonly end: (secret: string) => Promise<void>
  /** Ends all sessions and links. */
  readonly endAll: () => Promise<void>
}

/** Keys and sessions in one. */
export type Access = {
  readonly keys: Keys
  readonly sessions: Sessions
  /** Makes a new account key, ends all sessions, and writes the key to the key file. */
  readonly rotateAccountKey: () => Promise<void>
}

/** Opens both on what is stored. @param writeAccountKey writes the key file */
export function createAccess({
  storage,
  clock,
  newId,
  registry,
  writeAccountKey,
}: {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints'>
  readonly clock: Clock
  readonly newId: NewId
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly writeAccountKey: (key: string) => Promise<void>
}): Access {
  const keys = createKeys({ storage, newId, registry })
  const sessions = createSessions({ storage, clock, newId })
  return {
    keys,
    sessions,
    async rotateAccountKey() {
      // Asked for in one turn, so both are in one commit.
      const [key] = await Promise.all([keys.rotateAccountKey(), sessions.endAll()])
      await writeAccountKey(key)
    },
  }
}

/** Makes the sessions; those of earlier runs go on. */
function createSessions({
  storage,
  clock,
  newId,
}: {
  readonly storage: Pick<Storage, 'write' | 'state'>
  readonly clock: Clock
  readonly newId: NewId
}): Sessions {
  let links: readonly Link[] = []
  let sessions = readStored(storage.state.get(SESSIONS))

  // Without the mark of a key, as it is none and must not be taken for one.
  const newSecret = () => newId.key().replace(/^dk_/, '')
  const isOf =
    (secret: string) =>
    ({ hash }: { readonly hash: Uint8Array | readonly number[] }) =>
      newId.sameHash(newId.hash(secret), Uint8Array.from(hash))
  const lives = ({ endsAt }: { readonly endsAt: number }) => endsAt > clock.steady()

  async function store(next: readonly StoredSession[]): Promise<void> {
    sessions = next
    await storage.write(() => storage.state.set(SESSIONS, sessions))
  }

  return {
    createLink() {
      const code = newSecret()
      const lifeMs = limit('sessionLinkMs')
      const link = { hash: newId.hash(code), endsAt: clock.steady() + lifeMs }
      links = [...links.filter(lives), link].slice(-limit('sessionLinks'))
      return { code, expiresAt: clock.now() + lifeMs }
    },
    async redeem(code) {
      const link = links.filter(lives).find(isOf(code))
      if (link === undefined) return undefined
      links = links.filter((other) => other !== link)
      const secret = newSecret()
      const session = { hash: [...newId.hash(secret)], endsAt: clock.steady() + limit('sessionMs') }
      await store([...sessions.filter(lives), session].slice(-limit('sessions')))
      return secret
    },
    count: () => sessions.filter(lives).length,
    isOpen: (secret) => sessions.filter(lives).some(isOf(secret)),
    async end(secret) {
      await store(sessions.filter((session) => lives(session) && !isOf(secret)(session)))
    },
    async endAll() {
      links = []
      await store([])
    },
  }
}

function readStored(stored: unknown): readonly StoredSession[] {
  return Array.isArray(stored) ? (stored as readonly StoredSession[]) : []
}
