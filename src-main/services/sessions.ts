/**
 * Signed-in browsers. A link signs one browser in, once, within a minute. The browser then holds two secrets: a cookie,
 * and a page key that its pages store and send themselves. Browsers send cookies to every port of a host, and storage
 * belongs to one port, so another server on this machine can get the cookie but never both. A session ends with the key
 * that made its link. Only hashes are stored. Source: ours; the limits are in contract/limits.
 */
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import { ACCOUNT_CALLER, type Caller, callerNamed, newSecretId } from './keys.ts'
import type { NamedKeys } from './named-keys.ts'
import type { Storage } from './ports/storage.ts'
import type { Clock, NewId } from './ports/system.ts'

// Differs from the name of older versions, whose sessions have no page key.
const SESSIONS = 'account.pageSessions'

type Hash = Uint8Array | readonly number[]

/** `endsAt` is steady ms. `keyHash` identifies the named key behind it; null: the account key. */
type Entry = { readonly hash: Hash; readonly endsAt: number; readonly keyHash: readonly number[] | null }
/** `user` is the id of the only user of this machine who may use it; undefined: anyone. */
type Link = Entry & { readonly user: number | undefined }
type StoredSession = Entry & { readonly hash: readonly number[]; readonly pageHash: readonly number[] }

/** The two secrets of a browser. */
export type SessionSecrets = { readonly cookie: string; readonly pageKey: string }

/** The sessions of the service. */
export type Sessions = {
  /**
   * Makes a link that signs in as this caller.
   * @param user the only user of this machine who may use it, and root; undefined: anyone
   * @returns its code, and until when it works in wall ms
   * @throws AppError UNAUTHORIZED if the caller's key was revoked meanwhile
   */
  readonly createLink: (
    caller: Caller,
    user: number | undefined,
  ) => { readonly code: string; readonly expiresAt: number }
  /**
   * Uses a link up, unless it belongs to another user.
   * @param findUser finds the user of this machine who opened it; undefined: the browser is on another machine
   * @returns `void`: it is unknown, used or too old
   */
  readonly redeem: (
    code: string,
    findUser: () => Promise<number | undefined>,
  ) => Promise<SessionSecrets | 'void' | 'other-user'>
  /** How many browsers are signed in. */
  readonly count: () => number
  /** Finds the caller that a browser is signed in as; undefined: its session, or the key behind it, has ended. */
  readonly callerOf: (secrets: SessionSecrets) => Caller | undefined
  /** Ends a session; it need not exist. */
  readonly end: (secrets: SessionSecrets) => Promise<void>
  /** Ends all sessions and links. */
  readonly endAll: () => Promise<void>
}

/** Makes the sessions; those of earlier runs continue. */
export function createSessions({
  storage,
  clock,
  newId,
  namedKeys,
}: {
  readonly storage: Pick<Storage, 'write' | 'state'>
  readonly clock: Clock
  readonly newId: NewId
  readonly namedKeys: Pick<NamedKeys, 'named' | 'withHash'>
}): Sessions {
  let links: readonly Link[] = []
  let sessions = readStored(storage.state.get(SESSIONS))

  const matcher = (secret: string) => {
    const wanted = newId.hash(secret)
    return (hash: Hash) => newId.sameHash(wanted, Uint8Array.from(hash))
  }
  const lives = ({ endsAt }: Entry) => endsAt > clock.steady()
  function linkWith(code: string): Link | undefined {
    const matches = matcher(code)
    return links.filter(lives).find(({ hash }) => matches(hash))
  }
  function isOf({ cookie, pageKey }: SessionSecrets): (session: StoredSession) => boolean {
    const [matchesCookie, matchesPage] = [matcher(cookie), matcher(pageKey)]
    return ({ hash, pageHash }) => matchesCookie(hash) && matchesPage(pageHash)
  }

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
    createLink({ holder, name }, user) {
      const code = newSecretId(newId)
      const lifeMs = limit('sessionLinkMs')
      const key = holder === 'named' && name !== undefined ? namedKeys.named(name) : undefined
      if (holder === 'named' && key === undefined) throw new AppError('UNAUTHORIZED')
      const keyHash = key === undefined ? null : [...key.hash]
      const link = { hash: newId.hash(code), endsAt: clock.steady() + lifeMs, keyHash, user }
      links = [...links.filter(lives), link].slice(-limit('sessionLinks'))
      return { code, expiresAt: clock.now() + lifeMs }
    },
    async redeem(code, findUser) {
      const wanted = linkWith(code)
      if (wanted?.user !== undefined && !isUser(await findUser(), wanted.user)) return 'other-user'
      // Looked up again: meanwhile another browser may have used it.
      const link = linkWith(code)
      if (link === undefined) return 'void'
      links = links.filter((other) => other !== link)
      const secrets = { cookie: newSecretId(newId), pageKey: newSecretId(newId) }
      const session = {
        hash: [...newId.hash(secrets.cookie)],
        pageHash: [...newId.hash(secrets.pageKey)],
        endsAt: clock.steady() + limit('sessionMs'),
        keyHash: link.keyHash,
      }
      await store([...sessions.filter(lives), session].slice(-limit('sessions')))
      return secrets
    },
    count: () => sessions.filter(lives).length,
    callerOf(secrets) {
      const session = sessions.filter(lives).find(isOf(secrets))
      if (session === undefined) return undefined
      if (session.keyHash === null) return ACCOUNT_CALLER
      const key = namedKeys.withHash(Uint8Array.from(session.keyHash))
      return key && callerNamed(key)
    },
    async end(secrets) {
      const isThis = isOf(secrets)
      await store(sessions.filter((session) => lives(session) && !isThis(session)))
    },
    async endAll() {
      links = []
      await store([])
    },
  }
}

const ROOT = 0

// Root could read the key anyway, and relays of the system, such as that of WSL, connect as root.
function isUser(found: number | undefined, wanted: number): boolean {
  return found === undefined || found === wanted || found === ROOT
}

function readStored(stored: unknown): readonly StoredSession[] {
  return Array.isArray(stored) ? (stored as readonly StoredSession[]) : []
}
