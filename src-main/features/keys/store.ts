import type { Database } from 'better-sqlite3'
import type { AuditEntry } from '../../contract/keys.ts'
import type { Role } from '../../contract/roles.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../database/queries.ts'

export type NamedKey = {
  readonly name: string
  readonly hash: Uint8Array
  readonly role: Role
  readonly createdAt: number
  readonly endsAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedFrom: string | null
}

export function createKeyStore(db: Database) {
  const query = queriesOf(db)
  const record = query<[object]>(`
    INSERT INTO audit (at, key, came_from, operation, target, status)
    VALUES (@at, @key, @from, @operation, @target, @status)`).insert()
  const trim = query<[newestGone: number]>(`DELETE FROM audit WHERE id <= ?`).run()
  return {
    all: query<[], NamedKey>(`
      SELECT name, hash, role, created_at AS createdAt, ends_at AS endsAt, last_used_at AS lastUsedAt,
             last_used_from AS lastUsedFrom
      FROM named_keys ORDER BY name`).all(),
    insert: query<[NamedKey]>(`
      INSERT INTO named_keys (name, hash, role, created_at, ends_at, last_used_at, last_used_from)
      VALUES (@name, @hash, @role, @createdAt, @endsAt, @lastUsedAt, @lastUsedFrom)`).run(),
    update: query<[NamedKey]>(`
      UPDATE named_keys SET hash = @hash, role = @role, ends_at = @endsAt WHERE name = @name`).run(),
    remove: query<[name: string]>(`DELETE FROM named_keys WHERE name = ?`).run(),
    noteUse: query<[{ name: string; at: number; from: string | undefined }]>(`
      UPDATE named_keys SET last_used_at = @at, last_used_from = @from WHERE name = @name`).run(),
    record: ({ from, ...entry }: Omit<AuditEntry, 'id'>, most: number) => trim(record({ ...entry, from }) - most),
    audit: query<[{ key: string | undefined; before: number; limit: number }], RowOf<AuditEntry>>(`
      SELECT id, at, key, operation, target, status, came_from AS "from" FROM audit
      WHERE id < @before AND (@key IS NULL OR key = @key) ORDER BY id DESC LIMIT @limit`).all(withoutNulls<AuditEntry>),
  }
}
