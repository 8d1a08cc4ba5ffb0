import { watch as watchFolder } from 'node:fs'
import type { Log } from '../../lib/clock.ts'

/**
 * Calls `grew` when output files may have grown. If other programs exhaust the system's watches, `isWatching` is false
 * and files must be polled.
 * @param watch defaults to the system's
 */
export function watchOutput(options: {
  readonly folder: string
  readonly log: Pick<Log, 'warn'>
  readonly grew: () => void
  readonly watch?: typeof watchFolder
}): { readonly isWatching: () => boolean; readonly close: () => void } {
  const { folder, log, grew, watch = watchFolder } = options
  let isWatching = true
  let close = () => {}

  function giveUp(error: unknown): void {
    isWatching = false
    close()
    log.warn('output files of workers cannot be watched, so they are polled', { error })
  }

  try {
    // Not persistent, so that a failed start can still exit.
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
