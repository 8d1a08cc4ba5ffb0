/**
 * The folders with the code of a preview's releases. The newest stay; an older one goes when no worker can have its code
 * any more, since a worker with a long job may still import from it.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder whose code was released; `until`: when another release took over. Times in ms since the epoch. */
type Released = { readonly folder: string; readonly from: number; until: number | undefined }

// The one that answers, the one before, whose workers may still work, and one more. Source: ours.
const KEPT = 3

/** The folders of one preview. */
export type CodeFolders = {
  /** A folder that is not there yet. */
  readonly next: () => string
  /** Its code was never used. */
  readonly drop: (folder: string) => Promise<void>
  /** Its code answers from now on. @param from when its first worker could start; @param now both ms since the epoch */
  readonly live: (folder: string, from: number, now: number) => void
  /** Removes those that no worker has any more. @param startedAt when each of the workers that live was started */
  readonly tidy: (startedAt: readonly number[]) => Promise<void>
}

/** Makes the list. @param root folder of the folders */
export function createCodeFolders(root: string): CodeFolders {
  let count = 0
  let released: readonly Released[] = []
  const remove = (folder: string) => rm(folder, { recursive: true, force: true })
  return {
    next() {
      count += 1
      return join(root, String(count))
    },
    drop: remove,
    live(folder, from, now) {
      const before = released.at(-1)
      if (before !== undefined) before.until = now
      released = [...released, { folder, from, until: undefined }]
    },
    async tidy(startedAt) {
      const mayHave = ({ from, until = Number.POSITIVE_INFINITY }: Released) =>
        startedAt.some((at) => at >= from && at <= until)
      const old = released.slice(0, -KEPT).filter((one) => !mayHave(one))
      released = released.filter((one) => !old.includes(one))
      for (const { folder } of old) await remove(folder)
    },
  }
}
