/**
 * Announces updates of the package's feed in pages and installs them on quit, never restarting. electron-updater
 * verifies signatures and prevents downgrades.
 */
import type { AppUpdater } from 'electron-updater'
import { HOUR_MS } from '../../lib/units.ts'
import type { Log, TimeSource } from '../core.ts'

export type Updater = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'allowPrerelease' | 'on' | 'checkForUpdates'
>

const FIRST_CHECK_MS = 30_000
const POLL_EVERY_MS = 6 * HOUR_MS

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
  updater.on('error', (error) => log.warn('could not update', { error }))
  let cancel = time.after(FIRST_CHECK_MS, check)
  function check(): void {
    updater.checkForUpdates().catch(() => undefined)
    cancel = time.after(POLL_EVERY_MS, check)
  }
  return () => cancel()
}
