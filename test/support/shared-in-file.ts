/** Shares services and other things between the tests of a file. */
import { afterAll, expect } from 'vitest'
import { type ServedService, startedService, type WhenOver } from './served-service.ts'

/** Runs all clean-ups, the last one first, even if one fails. */
export async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const end of ends.toReversed()) {
    try {
      await end()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `clean-ups failed: ${errors.join('; ')}`)
}

/**
 * Makes a thing when the first test of the file asks for it, and cleans up after the last test.
 * @returns a function that returns it
 */
export function sharedInFile<Thing>(make: (whenOver: WhenOver) => Promise<Thing>): () => Promise<Thing> {
  const ends: (() => unknown)[] = []
  let made: Promise<Thing> | undefined
  afterAll(() => endAll(ends))
  return () => (made ??= make((end) => void ends.push(end)))
}

/** A service for the tests of a file. */
export const sharedService = () => sharedInFile((whenOver) => startedService({}, whenOver))

/** Removes the endpoints that a test made; their workers end meanwhile. */
export async function removeEndpoints({ get, ask }: Pick<ServedService, 'get' | 'ask'>): Promise<void> {
  const { endpoints } = await get('/api/endpoints')
  for (const { id } of endpoints) expect(await ask('DELETE', `/api/endpoints/${id}`)).toMatchObject({ status: 200 })
}
