import type { Database } from 'better-sqlite3'
import type { AuditEntry } from '../contract/keys.ts'
import type { KeyStore, NamedKey } from '../services/ports/keys.ts'

const ALL = `
  SELECT name, hash, role, created_at AS createdAt, ends_at AS endsAt, last_used_at AS lastUsedAt,
         last_used_from AS lastUsedFrom
  FROM named_keys ORDER BY name`
const INSERT = `
  INSERT INTO named_keys (name, hash, role, created_at, ends_at, last_used_at, last_used_from)
  VALUES (@name, @hash, @role, @createdAt, @endsAt, @lastUsedAt, @lastUsedFrom)`
const UPDATE = `UPDATE named_keys SET hash = @hash, role = @role, ends_at = @endsAt WHERE name = @name`
const REMOVE = `DELETE FROM named_keys WHERE name = ?`
const NOTE_USE = `UPDATE named_keys SET last_used_at = @at, last_used_from = @from WHERE name = @name`
const RECORD = `
  INSERT INTO audit (at, key, came_from, operation, target, status)
  VALUES (@at, @key, @from, @operation, @target, @status)`
const TRIM = `DELETE FROM audit WHERE id <= ?`
const AUDIT = `
  SELECT id, at, key, came_from AS "from", operation, target, status FROM audit
  WHERE id < @before AND (@key IS NULL OR key = @key) ORDER BY id DESC LIMIT @limit`

type AuditRow = Omit<AuditEntry, 'from'> & { readonly from: string | null }

/** Makes the store of named keys, and of who changed what. */
export function createKeyStore(db: Database): KeyStore {
  const all = db.prepare<[], NamedKey>(ALL)
  const insert = db.prepare<[NamedKey]>(INSERT)
  const update = db.prepare<[NamedKey]>(UPDATE)
  const remove = db.prepare<[string]>(REMOVE)
  const noteUse = db.prepare(NOTE_USE)
  const record = db.prepare(RECORD)
  const trim = db.prepare(TRIM)
  const audit = db.prepare<[object], AuditRow>(AUDIT)
  return {
    all: () => all.all(),
    insert: (key) => void insert.run(key),
    update: (key) => void update.run(key),
    remove: (name) => void remove.run(name),
    noteUse: (name, at, from) => void noteUse.run({ name, at, from: from ?? null }),
    record(entry, most) {
      const { lastInsertRowid } = record.run({ ...entry, from: entry.from ?? null })
      trim.run(Number(lastInsertRowid) - most)
    },
    audit: ({ key, before, limit }) =>
      audit
        .all({ key: key ?? null, before, limit })
        .map(({ from, ...entry }) => ({ ...entry, ...(from === null ? {} : { from }) })),
  }
}
