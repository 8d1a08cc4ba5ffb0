/**
 * The desktop application: joins Electron with desktop.ts. What is decided is decided there and in the files beside it;
 * here is what nothing but Electron can do, with the few functions that it alone uses.
 */

import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app, dialog, Menu, Notification, shell as system } from 'electron'
import packageJson from '../../package.json' with { type: 'json' }
import { dataFolder } from '../cli/find-service.ts'
import { NOTICE_CHANNEL } from '../contract/bridge-channels.ts'
import { counted } from '../domain/text.ts'
import { openDataFolder } from '../server/data-folder.ts'
import { createLog, systemTime } from '../server/system-ports.ts'
import { appMenu } from './app-menu.ts'
import { fileOfLink, linkAmong, pageOfLink, readArguments, SCHEME } from './deep-link.ts'
import { Desktop, type Shell } from './desktop.ts'
import { openSettings } from './desktop-settings.ts'
import { findOtherService } from './find-other-service.ts'
import { packagePaths } from './package-paths.ts'
import { revealFile } from './page-guard.ts'
import { startServiceChild } from './service-child.ts'
import { openTray } from './tray.ts'
import { watchUpdates } from './updates.ts'
import { guardSession, guardWindows, handleCalls, makeWindow, showText } from './window.ts'

const { platform } = process
const HANDLER_FILES = { name: 'Python and TypeScript', extensions: ['py', 'ts', 'mts', 'js', 'mjs'] }
const args = readArguments(process.argv.slice(app.isPackaged ? 1 : 2))
const data = dataFolder(args.data, { env: process.env, cwd: process.cwd(), platform, home: homedir() })
// A profile for each data folder: two services have two windows, and one window each.
const profile = join(data, 'desktop')
const at = packagePaths({
  here: import.meta.dirname,
  packagedTo: app.isPackaged ? process.resourcesPath : undefined,
  nodeOfClone: process.env.DRYDOCK_NODE,
})
app.setName('Drydock')
// For whatever window there may ever be.
app.enableSandbox()
app.setAppUserModelId('dev.drydock.desktop')

// Not awaited: Electron is ready only when this module has been read to its end.
const unusable = openProfile()
if (unusable !== undefined) void refuse(unusable)
else if (app.requestSingleInstanceLock()) run().catch(fail)
else app.quit()

/** @returns why it cannot be used; undefined: it can */
function openProfile(): string | undefined {
  try {
    openDataFolder(data)
    mkdirSync(profile, { recursive: true, mode: 0o700 })
    app.setPath('userData', profile)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function refuse(why: string): Promise<void> {
  await app.whenReady()
  const isAgain = (await askAbout(why, ['Retry', 'Quit'])) === 'Retry'
  if (isAgain) app.relaunch()
  app.exit(isAgain ? 0 : 1)
}

/** Asks what to do about a service that does not start; the last button is chosen where the dialog is closed. */
async function askAbout<Button extends string>(why: string, buttons: readonly Button[]): Promise<Button | undefined> {
  const { response } = await dialog.showMessageBox({
    ...{ type: 'error', title: 'Drydock', icon: at.icon, noLink: true, cancelId: buttons.length - 1 },
    message: 'The service does not start',
    detail: why,
    buttons: [...buttons],
  })
  return buttons[response]
}

function fail(error: unknown): void {
  createLog('info', join(data, 'desktop.log')).error('the desktop could not start', { error })
  dialog.showErrorBox('Drydock', `The desktop could not start: ${error instanceof Error ? error.message : error}`)
  app.exit(1)
}

async function run(): Promise<void> {
  const log = createLog('info', join(data, 'desktop.log'))
  const outputFile = join(data, 'service-output.log')
  const settings = openSettings(join(profile, 'settings.json'), (error) => log.warn('settings not stored', { error }))
  const notifications = new Set<Notification>()
  let quitting = false
  let startAgain = false

  // Links may come before all is ready, and are then the first page.
  let firstPage = args.page
  let openPage = (page: string | undefined) => {
    firstPage = page ?? firstPage
  }
  const show = (path: string) => revealFile(path, (found) => system.showItemInFolder(found), platform)
  const openLink = (link: string) => {
    const file = fileOfLink(link)
    if (file === undefined) openPage(pageOfLink(link))
    else show(file)
  }
  app.on('second-instance', (_event, argv) => {
    // Its service is stopping; the one who starts it again gets a window after that.
    if (quitting) startAgain = true
    else openLink(linkAmong(argv.slice(1)) ?? '')
  })
  app.on('open-url', (event, link) => {
    event.preventDefault()
    openLink(link)
  })
  // In a clone Electron must be told which application to open the link with.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
  else app.setAsDefaultProtocolClient(SCHEME, process.execPath, [at.main])
  app.on('web-contents-created', (_event, contents) => guardWindows(contents, () => desktop.origin))
  await app.whenReady()
  // Electron's own dialog stops the whole process until it is closed, and nothing is logged.
  process.on('uncaughtException', (error) => {
    log.error('an error was not handled', { error })
    void dialog.showMessageBox({
      ...{ type: 'error', title: 'Drydock', icon: at.icon },
      message: 'Something went wrong in the desktop window',
      detail: `${error.message}\n\nThe details are in ${join(data, 'desktop.log')}.`,
    })
  })

  const window = makeWindow({
    settings,
    preload: at.preload,
    icon: at.icon,
    mayClose: () => quitting || !settings.read().keepInTray,
    onHidden: () => desktop.windowHidden(),
    onPageLost: (address) => desktop.pageLost(pageOfAddress(address)),
  })
  window.on('closed', () => app.quit())
  const pick = async (
    { title, from }: { readonly title: string; readonly from?: string | undefined },
    options: Electron.OpenDialogOptions,
  ) => {
    const startFolder = from === undefined ? {} : { defaultPath: from }
    return (await dialog.showOpenDialog(window, { title, ...startFolder, ...options })).filePaths[0]
  }
  const drawTray = openTray(at.trayIcon, (action) => desktop.act(action))
  const shell: Shell = {
    show() {
      // Gone while it quits, if the window is not kept in the tray.
      if (window.isDestroyed()) return
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    },
    load: (address) => window.loadURL(address),
    isWatched: () => !window.isDestroyed() && window.isVisible() && window.isFocused(),
    notifyPages: (notice) => {
      if (!window.isDestroyed()) window.webContents.send(NOTICE_CHANNEL, notice)
    },
    showTray: drawTray,
    notify({ title, body, page }) {
      if (!Notification.isSupported()) return
      const notification = new Notification({ title, body, icon: at.icon })
      // Held until it is gone: one that was collected would not get a click.
      notifications.add(notification)
      notification.on('close', () => notifications.delete(notification))
      notification.on('click', () => {
        notification.close()
        desktop.open(page)
      })
      notification.show()
    },
    askAboutStart: async (why) => (await askAbout(why, ['Retry', 'Show log', 'Quit'])) ?? 'Quit',
    async askToWait(running, signal) {
      const { response } = await dialog.showMessageBox({
        ...{ type: 'info', title: 'Drydock', icon: at.icon, noLink: true, signal },
        message: `Drydock is waiting for ${counted(running, 'running job', 'running jobs')}`,
        detail: 'It quits in 10 seconds at the latest. Jobs that are not done by then run again after the next start.',
        buttons: ['Wait', 'Stop now'],
        cancelId: 0,
      })
      return response === 1 ? 'now' : 'wait'
    },
    showLog: () => showText('Log', [join(data, 'drydock.log'), outputFile], at.icon),
    quit: () => app.quit(),
  }
  const desktop = new Desktop({
    ...{ data, port: args.port, shell, settings, log, time: systemTime, firstPage },
    startChild: (options) => startServiceChild(options, { commandLine: at.commandLine, log: outputFile }),
    findOther: () => findOtherService(data, systemTime),
  })
  openPage = (page) => desktop.open(page)
  guardSession(() => desktop.origin)
  handleCalls(
    {
      facts: async () => ({ version: packageJson.version, platform }),
      pickFile: (wish) => pick(wish, { properties: ['openFile'], filters: [HANDLER_FILES] }),
      pickFolder: (wish) => pick(wish, { properties: ['openDirectory', 'createDirectory'] }),
      async signIn() {
        desktop.signInAgain(pageOfAddress(window.webContents.getURL()))
        return desktop.origin !== undefined
      },
      revealFile: async ({ path }) => show(path),
    },
    () => desktop.origin,
  )
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      appMenu(platform === 'darwin', {
        open: (page) => desktop.open(page),
        signInAgain: () => desktop.signInAgain(pageOfAddress(window.webContents.getURL())),
        showLog: shell.showLog,
      }),
    ),
  )
  app.on('activate', () => desktop.open())
  app.on('window-all-closed', () => app.quit())
  let stopped = false
  app.on('before-quit', (event) => {
    quitting = true
    if (stopped) return
    // First the service, in order; then this.
    event.preventDefault()
    if (!window.isDestroyed()) window.hide()
    void desktop.stop().finally(() => {
      stopped = true
      if (startAgain) app.relaunch()
      app.quit()
    })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())

  desktop.start()
  if (app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'))) {
    const { default: updater } = await import('electron-updater')
    watchUpdates(updater.autoUpdater, {
      time: systemTime,
      log,
      onReady: (version) => shell.notifyPages({ kind: 'update-ready', version }),
    })
    log.info('updates are looked for')
  }
}

/**
 * The page of an address of the window, from the origin on. The first page for all that is none: a link to sign in,
 * which works once, or what the browser shows in place of a page.
 */
function pageOfAddress(address: string): string {
  if (!URL.canParse(address)) return '/'
  const { protocol, pathname, search, hash } = new URL(address)
  return protocol === 'http:' && pathname !== '/sign-in' ? `${pathname}${search}${hash}` : '/'
}
