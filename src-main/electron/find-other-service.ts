import { readServiceFile } from '../cli/find-service.ts'
import type { TimeSource } from '../core.ts'

// How often a service of somebody else is looked after, in ms; source: ours, one look reads one small file.
const LOOK_EVERY_MS = 500

/**
 * Finds the service that runs on a data folder.
 * @returns undefined while none says where it answers; `ended` settles when its process has ended or another took over
 */
export async function findOtherService(
  data: string,
  { after }: Pick<TimeSource, 'after'>,
): Promise<{ readonly url: string; readonly ended: Promise<void> } | undefined> {
  const found = await readServiceFile(data)
  if (found === undefined) return undefined
  const ended = Promise.withResolvers<void>()
  const look = async () => {
    const now = await readServiceFile(data).catch(() => undefined)
    if (now?.pid === found.pid) after(LOOK_EVERY_MS, look)
    else ended.resolve()
  }
  after(LOOK_EVERY_MS, look)
  return { url: found.url, ended: ended.promise }
}
