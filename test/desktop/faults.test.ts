import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { signal } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import {
  DIALOG,
  noElectron,
  nothingIsLeft,
  openScreen,
  runGatedJob,
  type Screen,
  serveOn,
  serviceOf,
  spawnDesktop,
  startPlain,
} from './support.ts'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

/** A file or folder that only root can use. */
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
  test('opens its window without a log that it can write', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    writeFileSync(join(data, 'desktop.log'), '')
    lock(join(data, 'desktop.log'))
    const { child, ended } = spawnDesktop(screen, data)
    await screen.shows('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('says that its profile cannot be written', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    mkdirSync(join(data, 'desktop'))
    lock(join(data, 'desktop'))
    const { ended } = spawnDesktop(screen, data)
    await screen.shows(DIALOG)
    screen.shoot('profile-not-writable')
    expect(await screen.answer(DIALOG, ['Escape'], ended)).toBe(1)
  })

  test('says that it cannot sign in, and opens its window as soon as it can', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    await serveOn(screen, data)
    const unlock = lock(join(data, 'account.key'))
    const { child, ended } = spawnDesktop(screen, data)
    await screen.shows(DIALOG)
    screen.shoot('cannot-sign-in')
    unlock()
    await screen.shows('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('asks about a service whose output it cannot log, and starts it when told to', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data)
    await screen.shows('Endpoints · Drydock')
    const { pid } = serviceOf(data)
    const unlock = lock(join(data, 'service-output.log'))
    signal(pid, 'SIGKILL')
    await screen.shows(DIALOG)
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
  test('that comes while the desktop quits is the first page of the next window', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data, { argv: ['drydock://workflows'] })
    await screen.shows('Workflows · Drydock')
    await runGatedJob({ service: () => serviceOf(data) }, join(screen.home, 'never'))
    child.kill('SIGTERM')
    await screen.shows(DIALOG)
    expect(await startPlain(screen, data, { argv: ['drydock://workers'] })).toBe(0)
    expect(await ended).toBe(0)
    await screen.shows('Workers · Drydock')
  })

  test('to a file reveals it at the start, too', async () => {
    const screen = await openScreen()
    const data = dataOf(screen)
    const { child, ended } = spawnDesktop(screen, data, { argv: [`drydock://file${screen.home}/bin/xdg-open:1`] })
    await until(() => expect(screen.opened()).toEqual(['.']))
    await screen.shows('Endpoints · Drydock')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    await nothingIsLeft(screen)
  })
})
