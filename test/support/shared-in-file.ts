/** Things that the tests of a file share. */
import { afterAll } from 'vitest'
import type { ServedService, WhenOver } from './served-service.ts'

/**
 * Makes a thing when the first test of the file asks for it; it ends after the last.
 * @returns gives it
 */
export function sharedInFile<Thing>(make: (whenOver: WhenOver) => Promise<Thing>): () => Promise<Thing> {
  const ends: (() => unknown)[] = []
  let made: Promise<Thing> | undefined
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => (made ??= make((end) => void ends.push(end)))
}

/** Removes the endpoints that a test made; their workers end meanwhile. */
export async function removeEndpoints({ get, ask }: Pick<ServedService, 'get' | 'ask'>): Promise<void> {
  const { endpoints } = await get('/api/endpoints')
  for (const { id } of endpoints) await ask('DELETE', `/api/endpoints/${id}`)
}
