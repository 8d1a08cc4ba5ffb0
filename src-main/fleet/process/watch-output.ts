import { watch as watchFolder } from 'node:fs'
import type { Log } from '../../services/ports/system.ts'

/**
 * Calls `grew` when output files of workers may have grown. The system may have no watches left, as other programs can
 * take them all: then `isWatching` is false, and the files have to be polled.
 * @param watch how a folder is watched; of the system without it
 */
export function watchOutput({
  folder,
  log,
  grew,
  watch = watchFolder,
}: {
  readonly folder: string
  readonly log: Pick<Log, 'warn'>
  readonly grew: () => void
  readonly watch?: typeof watchFolder
}): { readonly isWatching: () => boolean; readonly close: () => void } {
  let isWatching = true
  let close = () => {}

  function giveUp(error: unknown): void {
    isWatching = false
    close()
    log.warn('output files of workers cannot be watched, so they are polled', { error })
  }

  try {
    // Not persistent: a service whose start failed must end, whatever could not be closed by then.
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || name.endsWith('.log')) grew()
    })
    close = () => watcher.close()
    watcher.on('error', giveUp)
  } catch (error) {
    giveUp(error)
  }
  return { isWatching: () => isWatching, close: () => close() }
}
