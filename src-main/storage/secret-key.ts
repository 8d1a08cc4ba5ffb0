import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

// Length of the key in bytes; source: AES-256.
const KEY_BYTES = 32

const PRIVATE = 0o600

/** The key with which secrets are sealed. */
export type SecretKey = {
  /** The key; undefined while there is none. */
  readonly read: () => Buffer | undefined
  /** The key, made where there is none. */
  readonly readOrMake: () => Buffer
}

/**
 * The key in a file that only its user can read. It is made with the first secret: a copy of the database alone holds
 * nothing that can be read.
 */
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

/** A key that lives as long as the process, for databases in memory. */
export function keyInMemory(): SecretKey {
  const key = randomBytes(KEY_BYTES)
  return { read: () => key, readOrMake: () => key }
}

/** @throws Error when the file holds something else than a key, as then a new one would lose all secrets */
function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES) throw new Error(`the file ${path} does not hold the key of the secrets`)
  return key
}

// On the disk before anything is sealed with it.
function makeKey(path: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  const file = openSync(path, 'wx', PRIVATE)
  try {
    writeSync(file, `${key.toString('base64')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return key
}
