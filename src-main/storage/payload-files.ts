/**
 * Payloads that are too large for a row: each a file of the folder `payloads`, written once and never changed. It is on
 * the disk, with its name, before a commit names it, and is deleted after the commit that no longer does. What a crash
 * leaves in between is named by no row, and goes at the next start. While the service runs, all calls of the file
 * system are made beside the event loop.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { limit } from '../contract/limits.ts'
import type { Json } from '../domain/json/json.ts'
import type { PayloadFile, PayloadStore } from '../services/ports/payloads.ts'
import { codeOf, fileError } from './file-error.ts'
import { asBytes, asText, headOf, isLarge } from './payload-json.ts'
import { createRecentPayloads } from './recent-payloads.ts'
import { createDurableWriter } from './write-durably.ts'

/** The payload store with its inner side, for the other stores. */
export type PayloadFiles = PayloadStore & {
  /** The bytes of a file; undefined where it is missing. */
  readonly read: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
  readonly remove: (names: readonly string[]) => void
  /** Forgets what is held for the next reader, who reads the file then. */
  readonly release: () => void
  /** Waits for the removals that are under way. */
  readonly close: () => Promise<void>
}

// A random name says nothing of the job and is never used twice.
const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Opens the folder, makes it if missing, and deletes the payloads in it that no row names.
 * @throws Error of the file system
 */
export function openPayloadFiles(folder: string, isNamed: (name: string) => boolean): PayloadFiles {
  const recent = createRecentPayloads(limit('payloadMemoryBytes'))
  const writeDurably = createDurableWriter()
  const removals = new Set<Promise<void>>()
  const pathOf = (name: string) => join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) if (NAME.test(name) && !isNamed(name)) unlinkSync(pathOf(name))

  function remove(names: readonly string[]): void {
    for (const name of names) {
      recent.take(name)
      // One that cannot be deleted now is named by no row, so the next start tries again.
      const removal = unlink(pathOf(name)).catch(() => undefined)
      removals.add(removal)
      void removal.then(() => removals.delete(removal))
    }
  }

  async function keepLarge(json: Json): Promise<PayloadFile> {
    const bytes = asBytes(json)
    const name = randomUUID()
    try {
      await writeDurably(pathOf(name), bytes)
    } catch (error) {
      remove([name])
      throw fileError(error, 'a payload could not be stored')
    }
    recent.put(name, bytes)
    return { file: name, head: headOf(bytes), bytes: bytes.length }
  }

  return {
    keep: (json) => (isLarge(json) ? keepLarge(json) : asText(json)),
    discard: (payload) => {
      if (typeof payload !== 'string') remove([payload.file])
    },
    async read(name) {
      const held = recent.take(name)
      if (held !== undefined) return held
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    remove,
    release: recent.clear,
    close: async () => {
      await Promise.all(removals)
    },
  }
}

/** For a database in memory, which has no folder: all payloads stay in their rows. */
export const payloadsInRows: PayloadFiles = {
  keep: asText,
  discard: () => undefined,
  read: async () => undefined,
  remove: () => undefined,
  release: () => undefined,
  close: async () => undefined,
}
