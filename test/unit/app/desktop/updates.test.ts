import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { type Updater, watchUpdates } from '../../../../src-main/app/desktop/updates.ts'

function setup() {
  const timers: { ms: number; run: () => void }[] = []
  const ready: string[] = []
  const warnings: string[] = []
  const checks: number[] = []
  // electron-updater needs Electron, so this fake has the same events and settings.
  const updater = Object.assign(new EventEmitter(), {
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowDowngrade: true,
    allowPrerelease: true,
    checkForUpdates: () => {
      checks.push(timers.length)
      return Promise.reject(new Error('no network'))
    },
  })
  const stop = watchUpdates(updater as unknown as Updater, {
    time: {
      after(ms, run) {
        const timer = { ms, run }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    },
    log: { info: () => undefined, warn: (message) => warnings.push(message), error: () => undefined },
    onReady: (version) => ready.push(version),
  })
  return { updater, timers, ready, warnings, checks, stop }
}

test('updates are downloaded, announced, and installed on quit, but never downgraded', () => {
  const { updater, ready } = setup()
  const { autoDownload, autoInstallOnAppQuit, allowDowngrade, allowPrerelease } = updater
  expect({ autoDownload, autoInstallOnAppQuit, allowDowngrade, allowPrerelease }).toEqual({
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: false,
    allowPrerelease: false,
  })
  updater.emit('update-downloaded', { version: '2.0.0' })
  expect(ready).toEqual(['2.0.0'])
})

test('an unreachable feed is logged and retried hours later, until the checks stop', () => {
  const { updater, timers, warnings, checks, stop } = setup()
  updater.emit('error', new Error('no network'))
  timers.shift()?.run()
  expect({ checks: checks.length, warnings, next: timers.map(({ ms }) => ms) }).toEqual({
    checks: 1,
    warnings: ['could not update'],
    next: [6 * 60 * 60_000],
  })
  stop()
  expect(timers).toEqual([])
})
