import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app, BrowserWindow, dialog, Menu, Notification, shell as system } from 'electron'
import packageJson from '../../../package.json' with { type: 'json' }
import { NOTICE_CHANNEL } from '../../contract/bridge-channels.ts'
import { createLog, systemTime } from '../../http/server/system-ports.ts'
import { counted } from '../../lib/text.ts'
import { dataFolder } from '../cli/find-service.ts'
import type { Log } from '../core.ts'
import { openDataFolder } from '../headless/data-folder.ts'
import { appMenu } from './app-menu.ts'
import { fileOfLink, linkAmong, pageOfLink, readArguments, SCHEME } from './deep-link.ts'
import { Desktop, type Fault, type Shell } from './desktop.ts'
import { openSettings } from './desktop-settings.ts'
import { findOtherService } from './find-other-service.ts'
import { logText } from './log-text.ts'
import { packagePaths } from './package-paths.ts'
import { revealFile } from './page-guard.ts'
import { startServiceChild } from './service-child.ts'
import { openTray } from './tray.ts'
import { watchUpdates } from './updates.ts'
import { guardSession, guardWindows, handleCalls, makeWindow, showText } from './window.ts'

const { platform } = process
const HANDLER_FILES = { name: 'Python and TypeScript', extensions: ['py', 'ts', 'mts', 'js', 'mjs'] }
const args = readArguments(process.argv.slice(app.isPackaged ? 1 : 2))
const argumentsWith = (link: string | undefined) => [
  ...process.argv.slice(1).filter((argument) => argument !== args.link),
  ...(link === undefined ? [] : [link]),
]
const data = dataFolder(args.data, { env: process.env, cwd: process.cwd(), platform, home: homedir() })
// Each data folder has its own profile, so that each service has exactly one window.
const profile = join(data, 'desktop')
const logFile = join(data, 'desktop.log')
const paths = packagePaths({
  here: import.meta.dirname,
  packagedTo: app.isPackaged ? process.resourcesPath : undefined,
  nodeOfClone: process.env.DRYDOCK_NODE,
})
app.setName('Drydock')
app.enableSandbox()
app.setAppUserModelId('dev.drydock.desktop')

// Not awaited, because Electron becomes ready only after this module has run.
const unusable = openProfile()
if (unusable !== undefined) void refuse(unusable)
else if (app.requestSingleInstanceLock()) run().catch(fail)
else app.quit()

function openProfile(): string | undefined {
  try {
    openDataFolder(data)
    mkdirSync(profile, { recursive: true, mode: 0o700 })
    // With an unwritable profile, Electron reports only that another instance is running.
    accessSync(profile, constants.W_OK)
    app.setPath('userData', profile)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function refuse(why: string): Promise<void> {
  await app.whenReady()
  const fault = { title: 'Drydock cannot use its data folder', why }
  const isAgain = (await askAbout(fault, ['Retry', 'Quit'])) === 'Retry'
  if (isAgain) app.relaunch()
  app.exit(isAgain ? 0 : 1)
}

async function askAbout<Button extends string>(
  { title, why }: Fault,
  buttons: readonly Button[],
  signal?: AbortSignal,
): Promise<Button | undefined> {
  const { response } = await dialog.showMessageBox({
    ...{ type: 'error', title: 'Drydock', icon: paths.icon, noLink: true, cancelId: buttons.length - 1 },
    ...{ message: title, detail: why, buttons: [...buttons], ...(signal && { signal }) },
  })
  return buttons[response]
}

async function fail(error: unknown): Promise<void> {
  openLog().error('the desktop could not start', { error })
  await app.whenReady()
  await askAbout({ title: 'Drydock could not start', why: error instanceof Error ? error.message : String(error) }, [
    'Quit',
  ])
  app.exit(1)
}

function openLog(): Log {
  try {
    return createLog('info', logFile)
  } catch {
    return createLog('info', undefined)
  }
}

async function run(): Promise<void> {
  const log = openLog()
  const outputFile = join(data, 'service-output.log')
  const settings = openSettings(join(profile, 'settings.json'), (error) =>
    log.warn('could not save settings', { error }),
  )
  const notifications = new Set<Notification>()
  let quitting = false
  let startAgain: { readonly link: string | undefined } | undefined

  let firstPage: string | undefined
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
    if (quitting) startAgain = { link: linkAmong(argv.slice(1)) }
    else openLink(linkAmong(argv.slice(1)) ?? '')
  })
  app.on('open-url', (event, link) => {
    event.preventDefault()
    openLink(link)
  })
  // In a clone, the system must also pass the path of the application to Electron.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
  else app.setAsDefaultProtocolClient(SCHEME, process.execPath, [paths.main])
  app.on('web-contents-created', (_event, contents) => guardWindows(contents, () => desktop.origin))
  await app.whenReady()
  // Electron's default dialog blocks the main process, logs nothing and ignores unhandled rejections.
  let isReporting = false
  const report = async (error: unknown) => {
    log.error('uncaught exception', { error })
    if (isReporting) return
    isReporting = true
    await dialog.showMessageBox({
      ...{ type: 'error', title: 'Drydock', icon: paths.icon },
      message: 'Drydock hit an unexpected error',
      detail: `${error instanceof Error ? error.message : error}\n\nIf Drydock misbehaves, quit and start it again. Details are in ${logFile}.`,
    })
    isReporting = false
  }
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
  if (args.link !== undefined) openLink(args.link)

  const window = makeWindow({
    settings,
    preload: paths.preload,
    icon: paths.icon,
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
  const drawTray = openTray(paths.trayIcon, (action) => desktop.act(action))
  const shell: Shell = {
    show() {
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
      const notification = new Notification({ title, body, icon: paths.icon })
      // Kept in a set, because a garbage-collected notification receives no clicks.
      notifications.add(notification)
      notification.on('close', () => notifications.delete(notification))
      notification.on('click', () => {
        notification.close()
        desktop.open(page)
      })
      notification.show()
    },
    askAboutFault: async (fault, signal) => (await askAbout(fault, ['Retry', 'Show log', 'Quit'], signal)) ?? 'Quit',
    async askToWait(running, signal) {
      const { response } = await dialog.showMessageBox({
        ...{ type: 'info', title: 'Drydock', icon: paths.icon, noLink: true, signal },
        message: `Drydock is waiting for ${counted(running, 'running job', 'running jobs')}`,
        detail: 'Drydock quits within 10 seconds. Unfinished jobs run again after the next start.',
        buttons: ['Wait', 'Stop now'],
        cancelId: 0,
      })
      return response === 1 ? 'now' : 'wait'
    },
    showLog: () => showText('Log', logText([join(data, 'drydock.log'), outputFile, logFile]), paths.icon),
    quit: () => app.quit(),
  }
  const desktop = new Desktop({
    ...{ data, port: args.port, shell, settings, log, time: systemTime, firstPage },
    startChild: (options) => startServiceChild(options, { commandLine: paths.commandLine, log: outputFile }),
    findOther: () => findOtherService(data, systemTime),
  })
  openPage = (page) => desktop.open(page)
  const signInAgain = () => {
    if (!window.isDestroyed()) desktop.signInAgain(pageOfAddress(window.webContents.getURL()))
  }
  guardSession(() => desktop.origin)
  handleCalls(
    {
      facts: async () => ({ version: packageJson.version, platform }),
      pickFile: (wish) => pick(wish, { properties: ['openFile'], filters: [HANDLER_FILES] }),
      pickFolder: (wish) => pick(wish, { properties: ['openDirectory', 'createDirectory'] }),
      async signIn() {
        signInAgain()
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
        signInAgain,
        showLog: shell.showLog,
      }),
    ),
  )
  app.on('activate', () => desktop.open())
  let isStopped = false
  app.on('before-quit', (event) => {
    if (isStopped) return
    event.preventDefault()
    if (quitting) return
    quitting = true
    if (!window.isDestroyed()) window.hide()
    for (const other of BrowserWindow.getAllWindows()) if (other !== window) other.close()
    void desktop.stop().finally(() => {
      isStopped = true
      if (startAgain !== undefined) app.relaunch({ args: argumentsWith(startAgain.link) })
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
    log.info('checking for updates')
  }
}

/** @returns undefined for one-time sign-in links and Chromium's built-in pages */
function pageOfAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, pathname, search, hash } = new URL(address)
  return protocol === 'http:' && pathname !== '/sign-in' ? `${pathname}${search}${hash}` : undefined
}
