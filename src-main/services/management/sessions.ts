/**
 * Browsers that are signed in. Whoever has the account key makes a link; the link signs one browser in, once, within a
 * minute; from then on the browser holds the secret of its session as a cookie, which is as good as the account key
 * until it ends. Only hashes are kept: of links in memory, of sessions in the database. A new account key ends them all.
 * Source: issue 6; the limits are in contract/limits.
 */
import { limit } from '../../contract/limits.ts'
import type { Clock, NewId, Storage } from '../ports.ts'

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

/** Makes the sessions; those of earlier runs go on. */
export function createSessions({
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

  async function keep(next: readonly StoredSession[]): Promise<void> {
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
      await keep([...sessions.filter(lives), session].slice(-limit('sessions')))
      return secret
    },
    count: () => sessions.filter(lives).length,
    isOpen: (secret) => sessions.filter(lives).some(isOf(secret)),
    async end(secret) {
      await keep(sessions.filter((session) => lives(session) && !isOf(secret)(session)))
    },
    async endAll() {
      links = []
      await keep([])
    },
  }
}

function readStored(stored: unknown): readonly StoredSession[] {
  return Array.isArray(stored) ? (stored as readonly StoredSession[]) : []
}
