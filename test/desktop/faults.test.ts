import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { signal } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import {
  DIALOG,
  noElectron,
  openScreen,
  runDesktop,
  runGatedJob,
  type Screen,
  serveOn,
  serviceOf,
  spawnDesktop,
  waitForNoProcesses,
} from './support.ts'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

/** Makes a file or folder accessible only to root. @returns a function that reverts it */
function lock(path: string): () => void {
  chownSync(path, 0, 0)
  chmodSync(path, 0o700)
  return () => chmodSync(path, 0o777)
}

function dataOf(screen: Screen): string {
  const data = join(screen.home, 'data')
  screen.mkdir(data)
  return data
}

describe('the desktop', () => {
  test('opens its window if its log is not writable', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    writeFileSync(join(data, 'desktop.log'), '')
    lock(join(data, 'desktop.log'))
    const { child, ended } = spawnDesktop(screen, data)
    await screen.waitForWindow('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('reports that its profile is not writable', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    mkdirSync(join(data, 'desktop'))
    lock(join(data, 'desktop'))
    const { ended } = spawnDesktop(screen, data)
    await screen.waitForWindow(DIALOG)
    screen.takeScreenshot('profile-not-writable')
    expect(await screen.answer(DIALOG, ['Escape'], ended)).toBe(1)
  })

  test('reports that it cannot sign in, and opens its window once it can', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    await serveOn(screen, data)
    const unlock = lock(join(data, 'account.key'))
    const { child, ended } = spawnDesktop(screen, data)
    await screen.waitForWindow(DIALOG)
    screen.takeScreenshot('cannot-sign-in')
    unlock()
    await screen.waitForWindow('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('reports that it cannot log the output of the service, and retries on request', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data)
    await screen.waitForWindow('Endpoints · Drydock')
    const { pid } = serviceOf(data)
    const unlock = lock(join(data, 'service-output.log'))
    signal(pid, 'SIGKILL')
    await screen.waitForWindow(DIALOG)
    unlock()
    await screen.answer(
      DIALOG,
      ['Return'],
      until(() => expect(serviceOf(data).pid).not.toBe(pid)),
    )
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})

describe('a link', () => {
  test('opened while the desktop quits is the first page of the next window', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data, { argv: ['drydock://workflows'] })
    await screen.waitForWindow('Workflows · Drydock')
    await runGatedJob({ service: () => serviceOf(data) }, join(screen.home, 'never'))
    child.kill('SIGTERM')
    await screen.waitForWindow(DIALOG)
    expect(await runDesktop(screen, data, { argv: ['drydock://workers'] })).toBe(0)
    expect(await ended).toBe(0)
    await screen.waitForWindow('Workers · Drydock')
  })

  test('to a file reveals the file at startup', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data, { argv: [`drydock://file${screen.home}/bin/xdg-open:1`] })
    await until(() => expect(screen.opened()).toEqual(['.']))
    await screen.waitForWindow('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    await waitForNoProcesses(screen)
  })
})
