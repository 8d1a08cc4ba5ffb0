import type { AuditEntry } from '../../contract/keys.ts'
import type { Role } from '../../contract/roles.ts'

/** A named key as stored. Times are wall ms. */
export type NamedKey = {
  readonly name: string
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly role: Role
  readonly createdAt: number
  /** null: it does not end by itself. */
  readonly endsAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedFrom: string | null
}

/** Named keys, and who changed what. All but `all` and `audit` belong inside a write. */
export type KeyStore = {
  readonly all: () => readonly NamedKey[]
  readonly insert: (key: NamedKey) => void
  /** Stores the hash, role and end of the key with this name. */
  readonly update: (key: NamedKey) => void
  readonly remove: (name: string) => void
  readonly noteUse: (use: { name: string; at: number; from: string | undefined }) => void
  /** Stores an entry; of more than `most` the oldest goes. */
  readonly record: (entry: Omit<AuditEntry, 'id'>, most: number) => void
  /** Newest first. @param query.before only older ones than this id */
  readonly audit: (query: {
    readonly key: string | undefined
    readonly before: number
    readonly limit: number
  }) => readonly AuditEntry[]
}
