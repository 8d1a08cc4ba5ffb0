/**
 * Secrets, sealed with AES-256-GCM. Scope and name are authenticated with the value, so a row copied to another name
 * does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'
import { errorCode } from '../lib/error-code.ts'
import { queriesOf } from './queries.ts'
import { PRIVATE_FILE, syncFolderNow } from './write-files.ts'

const CIPHER = 'aes-256-gcm'
// Random 96-bit nonces are safe for 2^32 values per key; source: NIST SP 800-38D, 8.3.
const NONCE_BYTES = 12
const TAG_BYTES = 16

type SecretName = { readonly scope: string; readonly name: string }
type Sealed = { readonly nonce: Buffer; readonly sealed: Buffer }

/** Gives values only to their user, never to responses or logs. */
export function createSecretStore(db: Database, key: SecretKey) {
  const query = queriesOf(db)
  const put = query<[SecretName & Sealed & { readonly now: number }]>(`
    INSERT INTO secrets (scope, name, nonce, sealed, updated_at)
    VALUES (@scope, @name, @nonce, @sealed, @now)
    ON CONFLICT (scope, name) DO UPDATE
    SET nonce = excluded.nonce, sealed = excluded.sealed, updated_at = excluded.updated_at`).run()
  const get = query<[scope: string, name: string], Sealed>(`
    SELECT nonce, sealed FROM secrets WHERE scope = ? AND name = ?`).one()
  // A range, so that the primary key is used and prefixes need no escaping. 1114111 is the last code point.
  const scopes = query<[{ prefix: string }], string>(`
    SELECT DISTINCT scope FROM secrets
    WHERE scope >= @prefix AND scope < @prefix || char(1114111)
    ORDER BY scope`).values()
  return {
    put: (scope: string, name: string, value: string, now: number) =>
      put({ scope, name, now, ...seal(key.readOrMake(), { scope, name }, value) }),
    /** @throws AppError SECRET_LOST when the key that it was sealed with is gone */
    get(scope: string, name: string) {
      const row = get(scope, name)
      return row && open(key.read(), { scope, name }, row)
    },
    list: query<[scope: string], { readonly name: string; readonly updatedAt: number }>(`
      SELECT name, updated_at AS updatedAt FROM secrets WHERE scope = ? ORDER BY name`).all(),
    remove: query<[scope: string, name: string]>(`DELETE FROM secrets WHERE scope = ? AND name = ?`).changed(),
    scopes: (prefix: string) => scopes({ prefix }),
    removeScope: query<[scope: string]>(`DELETE FROM secrets WHERE scope = ?`).run(),
  }
}

export type Seal = ReturnType<typeof createSeal>

export function createSeal(key: SecretKey) {
  return {
    close(name: SecretName, value: string): string {
      const { nonce, sealed } = seal(key.readOrMake(), name, value)
      return Buffer.concat([nonce, sealed]).toString('base64')
    },
    open(name: SecretName, text: string): string {
      const bytes = Buffer.from(text, 'base64')
      return open(key.read(), name, { nonce: bytes.subarray(0, NONCE_BYTES), sealed: bytes.subarray(NONCE_BYTES) })
    },
  }
}

function seal(key: Buffer, secret: SecretName, value: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(authenticated(secret))
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { nonce, sealed }
}

function open(key: Buffer | undefined, secret: SecretName, { nonce, sealed }: Sealed): string {
  if (key === undefined) throw new AppError('SECRET_LOST', secret)
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(authenticated(secret))
      .setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (error) {
    throw new AppError('SECRET_LOST', secret, { cause: error })
  }
}

// JSON, so that no two names yield the same bytes.
function authenticated({ scope, name }: SecretName): Buffer {
  return Buffer.from(JSON.stringify([scope, name]))
}

// Key length in bytes; source: AES-256.
const KEY_BYTES = 32

type SecretKey = {
  readonly read: () => Buffer | undefined
  readonly readOrMake: () => Buffer
}

/** A key file that only its user can read, created with the first secret: a copied database alone reveals nothing. */
export function keyInFile(path: string): SecretKey {
  let key: Buffer | undefined
  const read = () => {
    key ??= readKey(path)
    return key
  }
  return {
    read,
    readOrMake() {
      key = read() ?? makeKey(path)
      return key
    },
  }
}

export function keyInMemory(): SecretKey {
  const key = randomBytes(KEY_BYTES)
  return { read: () => key, readOrMake: () => key }
}

/** @throws Error if the file is not a key, since replacing it would lose all secrets */
function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES) throw new Error(`the file ${path} does not hold the key of the secrets`)
  return key
}

// Synced with its name before anything is sealed, and whole or absent, as half a key is an error.
function makeKey(path: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  const fresh = `${path}.new`
  const file = openSync(fresh, 'w', PRIVATE_FILE)
  try {
    writeSync(file, `${key.toString('base64')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, path)
  syncFolderNow(dirname(path))
  return key
}
