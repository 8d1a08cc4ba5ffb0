/**
 * Named keys with role and expiry, in memory because every request checks them; only hashes are stored. Source: ours.
 */
import { AppError } from '../../contract/errors.ts'
import { ACCOUNT_NAME, type NamedKeyCreate, type NamedKeyUpdate, type NamedKeyView } from '../../contract/keys.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { MINUTE_MS } from '../../lib/units.ts'
import type { NamedKey, Storage } from '../../storage/storage.ts'

// The last use is stored to the minute, so that requests cost no write.
const USE_NOTED_MS = MINUTE_MS

export type NamedKeys = ReturnType<typeof createNamedKeys>

export function createNamedKeys(deps: {
  readonly storage: Pick<Storage, 'write' | 'keys'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}) {
  const { storage, clock, newId, log } = deps
  const stored = () => new Map(storage.keys.all().map((key) => [key.name, key]))
  let keys = stored()
  const lives = ({ endsAt }: NamedKey) => endsAt === null || endsAt > clock.now()

  async function change<Result>(work: (before: ReadonlyMap<string, NamedKey>) => Result): Promise<Result> {
    const { result, after } = await storage.write(() => ({ result: work(stored()), after: stored() }))
    keys = after
    return result
  }

  const changeOne = (name: string, changes: (key: NamedKey) => Partial<NamedKey>) =>
    change((before) => {
      const key = before.get(name)
      if (key === undefined) throw new AppError('KEY_NOT_FOUND', { name })
      const next = { ...key, ...changes(key) }
      storage.keys.update(next)
      return viewOf(next)
    })

  function requireFuture(endsAt: number | null | undefined): void {
    if (endsAt != null && endsAt <= clock.now())
      throw new AppError('BAD_FIELD', { field: 'endsAt', why: 'must be in the future' })
  }

  return {
    withHash: (hash: Uint8Array): NamedKey | undefined =>
      [...keys.values()].filter((key) => newId.sameHash(hash, key.hash)).find(lives),
    named(name: string): NamedKey | undefined {
      const key = keys.get(name)
      return key !== undefined && lives(key) ? key : undefined
    },
    list: (): NamedKeyView[] => [...keys.values()].map(viewOf).sort((a, b) => a.name.localeCompare(b.name, 'en')),
    /**
     * @returns the key itself, once
     * @throws AppError KEY_EXISTS, TOO_MANY_KEYS, BAD_FIELD
     */
    create({ name, role, endsAt }: NamedKeyCreate): Promise<NamedKeyView & { readonly key: string }> {
      requireFuture(endsAt)
      const text = newId.key()
      return change((before) => {
        if (before.has(name) || name === ACCOUNT_NAME) throw new AppError('KEY_EXISTS', { name })
        if (before.size >= limit('namedKeys')) throw new AppError('TOO_MANY_KEYS', { limit: limit('namedKeys') })
        const unused = { createdAt: clock.now(), endsAt: endsAt ?? null, lastUsedAt: null, lastUsedFrom: null }
        const key: NamedKey = { name, hash: newId.hash(text), role, ...unused }
        storage.keys.insert(key)
        return { ...viewOf(key), key: text }
      })
    },
    async update(name: string, changes: NamedKeyUpdate): Promise<NamedKeyView> {
      requireFuture(changes.endsAt)
      return changeOne(name, ({ role, endsAt }) => ({
        role: changes.role ?? role,
        endsAt: changes.endsAt === undefined ? endsAt : changes.endsAt,
      }))
    },
    /**
     * Replaces a key and ends its sessions.
     * @returns the new key, once
     * @throws AppError KEY_NOT_FOUND
     */
    async rotate(name: string): Promise<NamedKeyView & { readonly key: string }> {
      const text = newId.key()
      return { ...(await changeOne(name, () => ({ hash: newId.hash(text) }))), key: text }
    },
    revoke: (name: string): Promise<void> =>
      change((before) => {
        if (!before.has(name)) throw new AppError('KEY_NOT_FOUND', { name })
        storage.keys.remove(name)
      }),
    noteUse(name: string, from: string | undefined) {
      const key = keys.get(name)
      const at = clock.now()
      if (key === undefined) return
      if (key.lastUsedAt !== null && at - key.lastUsedAt < USE_NOTED_MS) return
      keys.set(name, { ...key, lastUsedAt: at, lastUsedFrom: from ?? null })
      storage
        .write(() => storage.keys.noteUse({ name, at, from }))
        .catch((error) => log.warn('use of a key not noted', { error }))
    },
  }
}

function viewOf({ name, role, createdAt, endsAt, lastUsedAt, lastUsedFrom }: NamedKey): NamedKeyView {
  return {
    name,
    role,
    createdAt,
    ...present({ endsAt, lastUsedAt, lastUsedFrom }),
  }
}
