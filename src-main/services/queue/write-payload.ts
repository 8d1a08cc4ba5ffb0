import type { Json } from '../../domain/json/json.ts'
import type { KeptPayload } from '../ports/payloads.ts'
import type { Storage } from '../ports.ts'

/**
 * Runs the write that stores a payload. A large one is on the disk in a file of its own before, so that the commit
 * never names what is not there; where no row came to name it, it is taken back.
 * @param work the write; returns whether it stored the payload
 * @throws AppError DISK_FULL, DATABASE_BUSY, STOPPING, and whatever `work` throws
 */
export async function writePayload<T>(
  { write, payloads }: Pick<Storage, 'write' | 'payloads'>,
  json: Json,
  work: (payload: KeptPayload) => { readonly stored: boolean; readonly result: T },
): Promise<T> {
  const kept = payloads.keep(json)
  const payload = kept instanceof Promise ? await kept : kept // small ones are written in the order in which they came
  let stored = false
  try {
    const written = await write(() => work(payload))
    stored = written.stored
    return written.result
  } finally {
    if (!stored) payloads.discard(payload)
  }
}
