/**
 * New versions: looked for where the package names a feed, announced in the pages, installed when the person quits. It
 * never restarts anything. Signatures and downgrades are checked by electron-updater.
 */
import type { AppUpdater } from 'electron-updater'
import { HOUR_MS } from '../contract/units.ts'
import type { Log, TimeSource } from '../core.ts'

/** What is used of electron-updater. */
export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'allowPrerelease' | 'on' | 'checkForUpdates'
>

const FIRST_CHECK_MS = 30_000
const POLL_EVERY_MS = 6 * HOUR_MS

/** Looks for new versions until the function that it returns is called. */
export function watchUpdates(
  updater: Updater,
  {
    time,
    log,
    onReady,
  }: { readonly time: Pick<TimeSource, 'after'>; readonly log: Log; readonly onReady: (version: string) => void },
): () => void {
  updater.autoDownload = true
  updater.autoInstallOnAppQuit = true
  updater.allowDowngrade = false
  updater.allowPrerelease = false
  updater.on('update-downloaded', ({ version }) => onReady(version))
  // Without a network there is no feed; that is no fault of the person's.
  updater.on('error', (error) => log.warn('no update could be had', { error }))
  let cancel = time.after(FIRST_CHECK_MS, check)
  function check(): void {
    // Its error was reported as an event.
    updater.checkForUpdates().catch(() => undefined)
    cancel = time.after(POLL_EVERY_MS, check)
  }
  return () => cancel()
}
