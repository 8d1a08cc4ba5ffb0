import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'
import { until } from '../support/served-service.ts'
import { STORED_PAGE_KEY } from '../support/signed-in.ts'
import { closeWindow, noElectron, openDesktop, openScreen, runDesktop, waitForVisible, windowState } from './support.ts'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

describe('the window', () => {
  test('opens at its last position', async () => {
    const screen = await openScreen()
    const bounds = { x: 120, y: 90, width: 1100, height: 720 }
    const first = await openDesktop(screen)
    await first.window()
    await first.app.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), bounds)
    await until(async () => expect((await windowState(first)).bounds).toMatchObject({ width: 1100, height: 720 }))
    const { bounds: left } = await windowState(first)
    await closeWindow(first)
    await waitForVisible(first, false)
    await first.app.evaluate(({ app }) => app.quit())
    expect(await first.ended).toBe(0)
    const second = await openDesktop(screen)
    await second.window()
    await until(async () => expect((await windowState(second)).bounds).toEqual(left))
  })

  test('closes to the tray, notifies the user once, and shows again on a second start', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    await desktop.window()
    await screen.press('Endpoints · Drydock', 'alt+F4')
    await waitForVisible(desktop, false)
    await until(() => expect(screen.dunstctl('count', 'displayed')).toBe('1'))
    screen.takeScreenshot('notification')
    screen.dunstctl('action', '0')
    await waitForVisible(desktop, true)
    await until(() => expect(screen.dunstctl('count', 'displayed')).toBe('0'))
    await screen.press('Endpoints · Drydock', 'alt+F4')
    await waitForVisible(desktop, false)
    expect(await runDesktop(screen, desktop.data, { argv: ['drydock://jobs'] })).toBe(0)
    await waitForVisible(desktop, true)
    const page = await desktop.app.firstWindow()
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    expect(screen.dunstctl('count', 'displayed')).toBe('0')
  })

  test('opens links of each kind, and ignores invalid ones', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen, { argv: ['drydock://workflows'] })
    const page = await desktop.window()
    const { url } = desktop.service()
    await page.waitForURL(`${url}/workflows`)
    for (const [link, path] of [
      ['endpoints/sketch', '/endpoints/sketch'],
      ['workers', '/workers'],
      ['apps', '/apps'],
    ] as const) {
      await runDesktop(screen, desktop.data, { argv: [`drydock://${link}`] })
      await page.waitForURL(url + path)
    }
    await runDesktop(screen, desktop.data, { argv: ['drydock://../../etc/passwd'] })
    await runDesktop(screen, desktop.data, { argv: [`drydock://file${screen.home}/bin/electron:1`] })
    // Without a file manager, Electron runs `xdg-open .` inside the folder.
    await until(() => expect(screen.opened()).toEqual(['.']))
    expect(page.url()).toBe(`${url}/apps`)
  })

  test('stays on the service: other pages open outside or are refused, and pages cannot access Node', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    const before = page.url()
    await page.evaluate(() => void window.open('https://example.com/a'))
    await until(() => expect(screen.opened()).toEqual(['https://example.com/a']))
    await page.evaluate(() => location.assign('https://example.com/b'))
    await until(() => expect(screen.opened()).toEqual(['https://example.com/a', 'https://example.com/b']))
    await page.evaluate(() => location.assign('file:///etc/passwd'))
    await page.evaluate(() => void window.open('http://127.0.0.1:1/'))
    await until(async () =>
      expect(await page.evaluate(() => document.body.textContent)).toContain('http://127.0.0.1:1/ was not opened'),
    )
    expect(page.url()).toBe(before)
    expect(desktop.app.windows()).toHaveLength(1)
    expect(screen.opened()).toHaveLength(2)
    expect(
      await page.evaluate(() => [
        Object.keys((window as unknown as { drydockDesktop: object }).drydockDesktop)
          .toSorted()
          .join(' '),
        ...['require', 'process', 'module', 'Buffer', 'ipcRenderer'].map((name) => typeof Reflect.get(window, name)),
      ]),
    ).toEqual(['facts onNotice pickFile pickFolder revealFile signIn', ...Array(5).fill('undefined')])
  })

  test('shows the log of its service in a separate window', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    await desktop.window()
    const opened = desktop.app.waitForEvent('window')
    await desktop.app.evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
      items.find(({ label }) => label === 'Show log')?.click()
    })
    const log = await opened
    await until(async () => expect(await log.textContent('body')).toContain('service started'))
    screen.takeScreenshot('log-of-the-service')
    await log.close()
    expect(desktop.app.windows()).toHaveLength(1)
  })

  test('reloads its page if loading a script is aborted', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen, { argv: ['drydock://jobs'] })
    const page = await desktop.window()
    await page.evaluate(() => Object.assign(window, { isBefore: true }))
    const cancelled = await desktop.app.evaluate(
      ({ BrowserWindow, session }) =>
        new Promise<number>((resolve) => {
          const { webRequest } = session.defaultSession
          const contents = BrowserWindow.getAllWindows()[0]?.webContents
          let cancelled = 0
          webRequest.onBeforeRequest({ urls: ['http://127.0.0.1/assets/*.js'] }, (_request, answer) => {
            cancelled += 1
            answer({ cancel: true })
          })
          contents?.once('did-stop-loading', () => {
            webRequest.onBeforeRequest(null)
            resolve(cancelled)
          })
          contents?.reloadIgnoringCache()
        }),
    )
    expect(cancelled).toBeGreaterThan(0)
    await page.waitForFunction(() => !('isBefore' in window) && document.querySelector('h1')?.textContent === 'Jobs')
  })

  test('reloads its page after the renderer crashes', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen, { argv: ['drydock://workers'] })
    await desktop.window()
    await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
    await until(async () =>
      expect(
        await desktop.app.evaluate(({ BrowserWindow }) => {
          const contents = BrowserWindow.getAllWindows()[0]?.webContents
          return contents?.isCrashed() === false && contents.getTitle()
        }),
      ).toBe('Workers · Drydock'),
    )
  })

  test('grants pages the clipboard and notifications, and no other permission', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    const stateOf = (name: string) =>
      page.evaluate(async (asked) => (await navigator.permissions.query({ name: asked as PermissionName })).state, name)
    expect(await stateOf('notifications')).toBe('granted')
    for (const name of ['geolocation', 'camera', 'microphone', 'clipboard-read', 'midi', 'storage-access'])
      expect([name, await stateOf(name)]).toEqual([name, 'denied'])
    await page.evaluate(() => navigator.clipboard.writeText('copied'))
    expect(await desktop.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('copied')
    await expect(page.evaluate(() => navigator.clipboard.readText())).rejects.toThrow('denied')
    await expect(page.evaluate(() => navigator.mediaDevices.getDisplayMedia())).rejects.toThrow()
  })

  test('signs in again after its account key changes', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    await desktop.service().client.call('keyRotate')
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor()
    const path = `/api/info?pageKey=${await page.evaluate((name) => localStorage.getItem(name), STORED_PAGE_KEY)}`
    expect(await page.evaluate(async (address) => (await fetch(address)).status, path)).toBe(200)
  })

  test('complies with its content security policy on every page', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    const faults: string[] = []
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', ({ message }) => faults.push(message))
    const { url } = desktop.service()
    for (const section of PAGE_SECTIONS) {
      await page.goto(`${url}/${section}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    expect(faults).toEqual([])
  })

  test('picks folders with the system dialog, and reveals files in their folder', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    type Bridge = {
      pickFolder: (wish: object) => Promise<string | undefined>
      revealFile: (file: object) => Promise<boolean>
    }
    type Desktop = { readonly drydockDesktop: Bridge }
    const folder = join(screen.home, 'my-app')
    screen.mkdir(folder)
    const ask = () =>
      page.evaluate(
        (from) => (window as unknown as Desktop).drydockDesktop.pickFolder({ title: 'Choose a folder', from }),
        folder,
      )
    expect(await screen.answer('Choose a folder', ['Escape'], ask())).toBeUndefined()
    expect(await screen.answer('Choose a folder', ['alt+o'], ask())).toBe(folder)
    const reveal = (path: string) =>
      page.evaluate((file) => (window as unknown as Desktop).drydockDesktop.revealFile({ path: file }), path)
    expect(await reveal(`${screen.home}/bin/electron`)).toBe(true)
    await until(() => expect(screen.opened()).toEqual(['.']))
    expect(await reveal('/no/such/file')).toBe(false)
  })

  test('supports the system shortcuts for cut, paste and undo in fields', async () => {
    const screen = await openScreen()
    const desktop = await openDesktop(screen)
    const page = await desktop.window()
    const field = page.getByRole('searchbox').or(page.getByPlaceholder('Search endpoints')).first()
    await field.fill('sketch')
    await screen.press('Endpoints · Drydock', 'ctrl+a', 'ctrl+x')
    await until(async () => expect(await field.inputValue()).toBe(''))
    await screen.press('Endpoints · Drydock', 'ctrl+v', 'ctrl+v')
    await until(async () => expect(await field.inputValue()).toBe('sketchsketch'))
    await screen.press('Endpoints · Drydock', 'ctrl+z')
    await until(async () => expect(await field.inputValue()).toBe('sketch'))
  })
})
