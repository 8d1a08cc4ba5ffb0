/**
 * Browser sessions. A one-time link, valid for a minute, yields a cookie and a page key: cookies reach every port of a
 * host, storage only one, so another local server never gets both. Sessions end with their key; only hashes are stored.
 * Source: ours; contract/limits.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { ACCOUNT_CALLER, type Caller, callerNamed, newSecretId } from './keys.ts'
import type { NamedKeys } from './named-keys.ts'

// Differs from older versions, whose sessions lack a page key.
const SESSIONS = 'account.pageSessions'

type Hash = Uint8Array | readonly number[]

/** `endsAt` is steady ms. `keyHash`: the named key; null: the account key. */
type Entry = { readonly hash: Hash; readonly endsAt: number; readonly keyHash: readonly number[] | null }
type Link = Entry & { readonly user: number | undefined }
type StoredSession = Entry & { readonly hash: readonly number[]; readonly pageHash: readonly number[] }

export type SessionSecrets = { readonly cookie: string; readonly pageKey: string }

export function createSessions(deps: {
  readonly storage: Pick<Storage, 'write' | 'state'>
  readonly clock: Clock
  readonly newId: NewId
  readonly namedKeys: Pick<NamedKeys, 'named' | 'withHash'>
}) {
  const { storage, clock, newId, namedKeys } = deps
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
      // Resyncs memory, since a restart would restore the stored sessions.
      sessions = readStored(storage.state.get(SESSIONS))
      throw error
    }
  }

  return {
    /**
     * Creates a sign-in link for this caller.
     * @param user the only local user, besides root, who may use it; undefined for anyone
     * @returns code and expiry in wall ms
     * @throws AppError UNAUTHORIZED if the key was revoked meanwhile
     */
    createLink(
      { holder, name }: Caller,
      user: number | undefined,
    ): { readonly code: string; readonly expiresAt: number } {
      const code = newSecretId(newId)
      const lifeMs = limit('sessionLinkMs')
      const key = holder === 'named' && name !== undefined ? namedKeys.named(name) : undefined
      if (holder === 'named' && key === undefined) throw new AppError('UNAUTHORIZED')
      const keyHash = key === undefined ? null : [...key.hash]
      const link = { hash: newId.hash(code), endsAt: clock.steady() + lifeMs, keyHash, user }
      links = [...links.filter(lives), link].slice(-limit('sessionLinks'))
      return { code, expiresAt: clock.now() + lifeMs }
    },
    /**
     * Redeems a link, unless it belongs to another user.
     * @param findUser returns the opening local user; undefined for remote browsers
     * @returns `void` if unknown, used or expired
     */
    async redeem(
      code: string,
      findUser: () => Promise<number | undefined>,
    ): Promise<SessionSecrets | 'void' | 'other-user'> {
      const wanted = linkWith(code)
      if (wanted?.user !== undefined && !isUser(await findUser(), wanted.user)) return 'other-user'
      // Looked up again, because another browser may have used it meanwhile.
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
    count: (): number => sessions.filter(lives).length,
    callerOf(secrets: SessionSecrets): Caller | undefined {
      const session = sessions.filter(lives).find(isOf(secrets))
      if (session === undefined) return undefined
      if (session.keyHash === null) return ACCOUNT_CALLER
      const key = namedKeys.withHash(Uint8Array.from(session.keyHash))
      return key && callerNamed(key)
    },
    async end(secrets: SessionSecrets) {
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

// Root could read the key anyway, and system relays such as WSL's connect as root.
function isUser(found: number | undefined, wanted: number): boolean {
  return found === undefined || found === wanted || found === ROOT
}

function readStored(stored: unknown): readonly StoredSession[] {
  return Array.isArray(stored) ? (stored as readonly StoredSession[]) : []
}
