/** Shares services and other things between the tests of a file. */
import { afterAll, expect, onTestFinished } from 'vitest'
import { type ServedService, type ServeOptions, startedService, type WhenOver } from './served-service.ts'

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

/**
 * Shares a service between the tests of a file; each test ends with `clear`. After a test that fails or ends the
 * service, the next test gets a fresh one.
 */
export function sharedBetweenTests<Service extends ServedService>(
  start: (whenOver: WhenOver) => Promise<Service>,
  clear: (service: NoInfer<Service>) => Promise<void>,
): () => Promise<Service> {
  let ends: (() => unknown)[] = []
  let made: Promise<Service> | undefined
  async function end() {
    const all = ends
    ends = []
    made = undefined
    await endAll(all)
  }
  afterAll(end)
  return async () => {
    made ??= start((end) => void ends.push(end))
    const service = await made
    onTestFinished(async ({ task }) => {
      const { exitCode, signalCode } = service.process()
      const runs = exitCode === null && signalCode === null
      await (runs && task.result?.state !== 'fail' ? clear(service) : end())
    })
    return service
  }
}

/** Shares a service between the tests of a file; the end of a test removes its endpoints. */
export const sharedService = (options: ServeOptions = {}) =>
  sharedBetweenTests((whenOver) => startedService(options, whenOver), removeEndpoints)

/** Removes the endpoints that a test made; their workers end meanwhile. */
export async function removeEndpoints({ get, ask }: Pick<ServedService, 'get' | 'ask'>): Promise<void> {
  const { endpoints } = await get('/api/endpoints')
  for (const { id } of endpoints) expect(await ask('DELETE', `/api/endpoints/${id}`)).toMatchObject({ status: 200 })
}
