/**
 * Who a key is. The account opens everything; a named key what its role may do; an endpoint's key that endpoint; the
 * token of a worker that calls others, a peer, the endpoints of its app and environment, or those of no app where it is
 * of none, as long as it lives. All are
 * stored as hashes and compared in constant time. Source: docs/spec/job-api.md, 9; of named keys and peers ours: a team
 * shares a machine, and code of an app needs no more.
 */

import { AppError } from '../contract/errors.ts'
import { ACCOUNT_NAME } from '../contract/keys.ts'
import { limit } from '../contract/limits.ts'
import type { Role } from '../contract/roles.ts'
import { type AppTarget, isSameTarget, targetOf } from '../domain/app/app-target.ts'
import { createNamedKeys, type NamedKeys } from './named-keys.ts'
import { createOpenStreams, type OpenStreams } from './open-streams.ts'
import type { NamedKey } from './ports/keys.ts'
import type { Endpoint, Storage } from './ports/storage.ts'
import type { Clock, Log, NewId } from './ports/system.ts'
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

const ACCOUNT_CALLER: Caller = { holder: 'account', role: 'admin', name: ACCOUNT_NAME, within: undefined }

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
  /** Makes a new account key; the old one is void. The caller shows or writes it, once. */
  readonly rotateAccountKey: () => Promise<string>
}

/** Whether a caller may know what is in this environment. */
export function maySee({ role, within }: Caller, target: AppTarget): boolean {
  return role !== undefined || isSameTarget(within, target)
}

/** Makes the keys. */
function createKeys({
  storage,
  newId,
  registry,
  namedKeys,
}: Pick<AccessDeps, 'storage' | 'newId' | 'registry'> & Pick<Access, 'namedKeys'>): Keys {
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
    async rotateAccountKey() {
      const key = newId.key()
      const hash = newId.hash(key)
      await storage.write(() => storage.state.set(ACCOUNT, [...hash]))
      accountHash = hash
      return key
    },
  }
}

const callerNamed = ({ name, role }: Pick<NamedKey, 'name' | 'role'>): Caller => ({
  holder: 'named',
  role,
  name,
  within: undefined,
})

function readHash(stored: unknown): Uint8Array | undefined {
  return Array.isArray(stored) ? Uint8Array.from(stored as number[]) : undefined
}

// Browsers that are signed in. Whoever has the account key or a named key makes a link; the link signs one browser in,
// once, within a minute; from then on the browser holds the secret of its session as a cookie, which is as good as that
// key until it ends, or the key does. A named key is known by its hash: another one of the same name is another key.
// Only hashes are stored: of links in memory, of sessions in the database. A new account key ends them all. Source:
// ours; the limits are in contract/limits.
// Another name than that of older versions, whose sessions do not say which key they are of.
const SESSIONS = 'account.keySessions'

/** A session as stored. `endsAt` is steady ms; `keyHash` null: it belongs to the account key. */
type StoredSession = Link & { readonly hash: readonly number[] }
type Link = {
  readonly hash: Uint8Array | readonly number[]
  readonly endsAt: number
  readonly keyHash: readonly number[] | null
}

/** The sessions of the service. */
export type Sessions = {
  /**
   * Makes a link that signs in as this caller. @returns its code, and until when it works in wall ms
   * @throws AppError UNAUTHORIZED if the caller's key was revoked meanwhile
   */
  readonly createLink: (caller: Caller) => { readonly code: string; readonly expiresAt: number }
  /** Uses a link up. @returns the secret of the new session; undefined: the link is unknown, used or too old */
  readonly redeem: (code: string) => Promise<string | undefined>
  /** How many browsers are signed in. */
  readonly count: () => number
  /** As whom the browser with this secret is signed in; undefined: its session, or the key behind it, has ended. */
  readonly callerOf: (secret: string) => Caller | undefined
  /** Ends a session; one that is not there is no error. */
  readonly end: (secret: string) => Promise<void>
  /** Ends all sessions and links. */
  readonly endAll: () => Promise<void>
}

/** Keys, named keys and sessions in one. */
export type Access = {
  readonly keys: Keys
  readonly namedKeys: NamedKeys
  readonly sessions: Sessions
  readonly openStreams: OpenStreams
  /** Makes a new account key, ends all sessions, and writes the key to the key file. */
  readonly rotateAccountKey: () => Promise<void>
}

type AccessDeps = {
  readonly storage: Pick<Storage, 'write' | 'state' | 'endpoints' | 'keys'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly registry: Pick<WorkerRegistry, 'all'>
  /** Writes the key file. */
  readonly writeAccountKey: (key: string) => Promise<void>
}

/** Opens all on what is stored. */
export function createAccess(deps: AccessDeps): Access {
  const namedKeys = createNamedKeys(deps)
  const keys = createKeys({ ...deps, namedKeys })
  const sessions = createSessions({ ...deps, namedKeys })
  return {
    keys,
    namedKeys,
    sessions,
    openStreams: createOpenStreams(deps),
    async rotateAccountKey() {
      // Asked for in one turn, so both are in one commit.
      const [key] = await Promise.all([keys.rotateAccountKey(), sessions.endAll()])
      await deps.writeAccountKey(key)
    },
  }
}

/** Makes the sessions; those of earlier runs go on. */
function createSessions({
  storage,
  clock,
  newId,
  namedKeys,
}: Pick<AccessDeps, 'storage' | 'clock' | 'newId'> & Pick<Access, 'namedKeys'>): Sessions {
  let links: readonly Link[] = []
  let sessions = readStored(storage.state.get(SESSIONS))

  const isOf = (secret: string) => {
    const wanted = newId.hash(secret)
    return ({ hash }: Pick<Link, 'hash'>) => newId.sameHash(wanted, Uint8Array.from(hash))
  }
  const lives = ({ endsAt }: { readonly endsAt: number }) => endsAt > clock.steady()

  async function store(next: readonly StoredSession[]): Promise<void> {
    sessions = next
    try {
      await storage.write(() => storage.state.set(SESSIONS, sessions))
    } catch (error) {
      // Matches memory to the database, because a restart would restore the stored sessions.
      sessions = readStored(storage.state.get(SESSIONS))
      throw error
    }
  }

  return {
    createLink({ holder, name }) {
      const code = newSecretId(newId)
      const lifeMs = limit('sessionLinkMs')
      const key = holder === 'named' && name !== undefined ? namedKeys.named(name) : undefined
      if (holder === 'named' && key === undefined) throw new AppError('UNAUTHORIZED')
      const link = {
        hash: newId.hash(code),
        endsAt: clock.steady() + lifeMs,
        keyHash: key === undefined ? null : [...key.hash],
      }
      links = [...links.filter(lives), link].slice(-limit('sessionLinks'))
      return { code, expiresAt: clock.now() + lifeMs }
    },
    async redeem(code) {
      const link = links.filter(lives).find(isOf(code))
      if (link === undefined) return undefined
      links = links.filter((other) => other !== link)
      const secret = newSecretId(newId)
      const { keyHash } = link
      const endsAt = clock.steady() + limit('sessionMs')
      const session = { hash: [...newId.hash(secret)], endsAt, keyHash }
      await store([...sessions.filter(lives), session].slice(-limit('sessions')))
      return secret
    },
    count: () => sessions.filter(lives).length,
    callerOf(secret) {
      const session = sessions.filter(lives).find(isOf(secret))
      if (session === undefined) return undefined
      if (session.keyHash === null) return ACCOUNT_CALLER
      const key = namedKeys.withHash(Uint8Array.from(session.keyHash))
      return key && callerNamed(key)
    },
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
