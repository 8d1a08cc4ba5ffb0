import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { signal } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import {
  DIALOG,
  noElectron,
  type OpenDesktop,
  openDesktop,
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

/** Opens a desktop whose service runs a job that never finishes. */
async function withRunningJob(screen: Screen): Promise<OpenDesktop> {
  const desktop = await openDesktop(screen)
  await desktop.window()
  await runGatedJob(desktop, join(screen.home, 'never'))
  return desktop
}

describe('quitting', () => {
  test('with the keyboard shortcut waits for running jobs, says how many, and stops them on request', async () => {
    const screen = await openScreen()
    const { ended } = await withRunningJob(screen)
    await screen.press('Endpoints · Drydock', 'ctrl+q')
    await screen.waitForWindow(DIALOG)
    screen.takeScreenshot('waits-for-a-job')
    expect(await screen.answer(DIALOG, ['Tab', 'Return'], ended)).toBe(0)
    await waitForNoProcesses(screen)
  })

  test('by a signal stops the service and the worker of a running job', async () => {
    const screen = await openScreen()
    const { pid, ended } = await withRunningJob(screen)
    signal(pid, 'SIGTERM')
    expect(await ended).toBe(0)
    await waitForNoProcesses(screen)
  })

  test('by kill -9 leaves no service or worker running', async () => {
    const screen = await openScreen()
    const { pid, ended } = await withRunningJob(screen)
    signal(pid, 'SIGKILL')
    expect(await ended).toBe('SIGKILL')
    await waitForNoProcesses(screen)
  })

  test('opens a window afterwards if it is started again meanwhile', async () => {
    const screen = await openScreen()
    const data = join(screen.home, 'data')
    const { child, ended } = spawnDesktop(screen, data)
    await screen.waitForWindow('Endpoints · Drydock')
    const service = () => serviceOf(data)
    await runGatedJob({ service }, join(screen.home, 'never'))
    const before = service().pid
    child.kill('SIGTERM')
    await screen.waitForWindow(DIALOG)
    expect(await runDesktop(screen, data)).toBe(0)
    expect(await ended).toBe(0)
    await until(() => expect(service().pid).not.toBe(before))
    await screen.waitForWindow('Endpoints · Drydock')
  })
})

describe('the service', () => {
  test('restarts on the same address after it is killed, and the page keeps its place', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    const { pid, url } = desktop.service()
    await page.goto(`${url}/settings`)
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    signal(pid, 'SIGKILL')
    await until(() => expect(desktop.service().pid).not.toBe(pid))
    expect(desktop.service().url).toBe(url)
    await page.getByText('The service is running again.').first().waitFor()
    expect(page.url()).toBe(`${url}/settings`)
  })

  test('shows a dialog if it keeps stopping', async () => {
    const screen = await openScreen()
    const ended = runDesktop(screen, join(screen.home, 'data'), { env: { DRYDOCK_NODE: '/bin/false' } })
    await screen.waitForWindow(DIALOG)
    screen.takeScreenshot('ends-again-and-again')
    expect(await screen.answer(DIALOG, ['Escape'], ended)).toBe(0)
    await waitForNoProcesses(screen)
  })

  test('shows its log if the port is in use, and starts on retry', async () => {
    const screen = await openScreen()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const data = join(screen.home, 'data')
    void runDesktop(screen, data, { argv: ['--port', String(port)] })
    await screen.waitForWindow(DIALOG)
    screen.takeScreenshot('port-taken')
    const log = screen.waitForWindow('Log · Drydock')
    await screen.answer(DIALOG, ['Tab', 'Return'], log)
    screen.takeScreenshot('log')
    other.close()
    await screen.answer(
      DIALOG,
      ['Return'],
      until(() => expect(serviceOf(data).url).toBe(`http://127.0.0.1:${port}`)),
    )
  })

  test.each(['a folder that is a file', 'a damaged database'])(
    'with %s is reported, and the desktop quits',
    async (what) => {
      const screen = await openScreen()
      const data = join(screen.home, 'data')
      if (what.startsWith('a folder')) writeFileSync(data, 'no folder')
      else {
        screen.mkdir(data)
        writeFileSync(join(data, 'drydock.db'), 'no database, but a text of more than a hundred bytes '.repeat(100))
        chownSync(join(data, 'drydock.db'), screen.user, screen.user)
      }
      const ended = runDesktop(screen, data)
      await screen.waitForWindow(DIALOG)
      screen.takeScreenshot(what.replaceAll(' ', '-'))
      await screen.answer(DIALOG, ['Escape'], ended)
      await waitForNoProcesses(screen)
    },
  )

  test('is reused if it already runs, outlives the desktop, and is replaced when it exits', async () => {
    const screen = await openScreen()
    const other = await serveOn(screen, join(screen.home, 'data'))
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    expect(page.url()).toBe(`${other.url}/endpoints`)
    await desktop.app.evaluate(({ app }) => app.quit())
    expect(await desktop.ended).toBe(0)
    expect((await fetch(`${other.url}/`)).status).toBe(200)
    const second = await openDesktop(screen)
    await second.window()
    other.stop()
    await until(() => expect(second.service().pid).not.toBe(other.pid))
    const next = await second.app.firstWindow()
    await next.waitForURL(`${second.service().url}/**`)
  })
})
