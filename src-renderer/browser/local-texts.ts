/**
 * Texts the service could not take, kept in the browser across crashes. Not in preferences, which hold 5 MB in all; a
 * graph may take 20.
 */
import type { z } from 'zod'
import { plainJson } from '../../src-main/lib/json/plain.ts'

export type LocalTexts = {
  readonly read: (name: string) => Promise<string | undefined>
  readonly write: (name: string, text: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

const DATABASE = 'drydock'
const TEXTS = 'texts'

/** Texts in the browser's database; without one, in memory until the window closes. */
export function browserTexts(factory: IDBFactory | undefined): LocalTexts {
  if (factory === undefined) return memoryTexts()
  let opened: Promise<IDBDatabase> | undefined
  const store = async (mode: IDBTransactionMode) => {
    opened ??= openDatabase(factory)
    return (await opened).transaction(TEXTS, mode).objectStore(TEXTS)
  }
  return {
    async read(name) {
      const found: unknown = await finished((await store('readonly')).get(name))
      return typeof found === 'string' ? found : undefined
    },
    write: async (name, text) => void (await finished((await store('readwrite')).put(text, name))),
    remove: async (name) => void (await finished((await store('readwrite')).delete(name))),
  }
}

function openDatabase(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open(DATABASE, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(TEXTS)
  return finished(request)
}

function finished<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser stored nothing'))
  })
}

function memoryTexts(): LocalTexts {
  const texts = new Map<string, string>()
  return {
    read: async (name) => texts.get(name),
    write: async (name, text) => void texts.set(name, text),
    remove: async (name) => void texts.delete(name),
  }
}

/**
 * Reads stored data.
 * @returns undefined if it is missing or has another form
 */
export function parseStored<Schema extends z.ZodType>(
  schema: Schema,
  text: string | undefined,
): z.infer<Schema> | undefined {
  // It may be written by another version of these pages, or by a person.
  return text === undefined ? undefined : schema.safeParse(plainJson(text)).data
}
