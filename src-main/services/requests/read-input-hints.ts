import type { InputHints } from '../../contract/saved-requests.ts'
import { inputHints } from '../../domain/requests/input-hints.ts'
import type { Storage } from '../ports.ts'

// Source: ours. What nobody sent in the last ten is no habit.
const JOBS = 10
// A larger one, a picture in it say, is no beginning to write from.
const EXAMPLE_LENGTH = 64 * 1024

/** Reads what the newest inputs of an endpoint look like; large ones, and those that are gone, are left out. */
export async function readInputHints({ jobs }: Pick<Storage, 'jobs'>, endpointId: string): Promise<InputHints> {
  const newest = jobs.list({ endpointId, limit: JOBS })
  const read = await Promise.all(newest.map((job) => jobs.readInput(job).catch(() => undefined)))
  // A large payload is a file, and comes as bytes.
  const texts = read.flatMap((found) => (typeof found?.input === 'string' ? found.input : []))
  const fields = inputHints(texts.map((text) => JSON.parse(text)))
  const [example] = texts
  return { fields, ...(example !== undefined && example.length <= EXAMPLE_LENGTH ? { example } : {}) }
}
