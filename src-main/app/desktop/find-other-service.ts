import { readServiceFile } from '../cli/find-service.ts'
import type { TimeSource } from '../core.ts'

// Poll interval, ms; each reads one small file. Source: ours.
const POLL_EVERY_MS = 500

export async function findOtherService(
  data: string,
  { after }: Pick<TimeSource, 'after'>,
): Promise<{ readonly url: string; readonly ended: Promise<void> } | undefined> {
  const found = await readServiceFile(data)
  if (found === undefined) return undefined
  const ended = Promise.withResolvers<void>()
  const check = async () => {
    const now = await readServiceFile(data).catch(() => undefined)
    if (now?.pid === found.pid) after(POLL_EVERY_MS, check)
    else ended.resolve()
  }
  after(POLL_EVERY_MS, check)
  return { url: found.url, ended: ended.promise }
}
