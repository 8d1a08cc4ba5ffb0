import { BrowserWindow, type IpcMainInvokeEvent, ipcMain, screen, session, shell } from 'electron'
import type { DesktopNotice } from '../../contract/bridge.ts'
import { BRIDGE_CALL_NAMES, channelOf, NOTICE_CHANNEL } from '../../contract/bridge-channels.ts'
import { restoreBounds, type SettingsFile, SMALLEST } from './desktop-settings.ts'
import {
  type BridgeHandlers,
  evaluateNavigation,
  handleBridgeCall,
  mayUse,
  type Navigation,
  WEB_PREFERENCES,
} from './page-guard.ts'

const LOAD_ABORTED = -3
const REQUEST_ABORTED = 'net::ERR_ABORTED'
// Scripts and styles of pages; a pattern without a port matches any port.
const PAGE_FILES = ['http://127.0.0.1/assets/*.js', 'http://127.0.0.1/assets/*.css']

export function makeWindow({
  settings,
  preload,
  icon,
  mayClose,
  onHidden,
  onPageLost,
}: {
  readonly settings: SettingsFile
  readonly preload: string
  readonly icon: string
  readonly mayClose: () => boolean
  readonly onHidden: () => void
  readonly onPageLost: (address: string) => void
}): BrowserWindow {
  const last = settings.read().window
  const screens = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea)
  const window = new BrowserWindow({
    ...restoreBounds(last?.bounds, screens),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Drydock',
    icon,
    autoHideMenuBar: true,
    webPreferences: { ...WEB_PREFERENCES, preload },
  })
  if (last?.maximised === true) window.maximize()
  const saveState = () => {
    if (window.isMinimized() || window.isFullScreen()) return
    settings.change({ window: { bounds: window.getNormalBounds(), maximised: window.isMaximized() } })
  }
  // Without a reload, Chromium's error page would stay indefinitely.
  window.webContents.on('did-fail-load', (_event, code, _why, address, isWindow) => {
    if (isWindow && code !== LOAD_ABORTED) onPageLost(address)
  })
  // A page stays blank without one of its scripts. Chromium aborts requests when networks change, and Drydock creates
  // networks for containers.
  session.defaultSession.webRequest.onErrorOccurred({ urls: PAGE_FILES }, ({ webContentsId, error }) => {
    if (window.isDestroyed() || webContentsId !== window.webContents.id || error === REQUEST_ABORTED) return
    if (window.webContents.isLoadingMainFrame()) onPageLost(window.webContents.getURL())
  })
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit') onPageLost(window.webContents.getURL())
  })
  window.on('close', (event) => {
    saveState()
    if (mayClose()) return
    event.preventDefault()
    window.hide()
    onHidden()
  })
  return window
}

export function showText(title: string, text: string, icon: string): void {
  const window = new BrowserWindow({
    ...{ title: `${title} · Drydock`, icon, width: 1000, height: 700, autoHideMenuBar: true },
    webPreferences: WEB_PREFERENCES,
  })
  window.on('page-title-updated', (event) => event.preventDefault())
  // The menu items apply to the main window. On macOS all windows share one menu.
  if (process.platform !== 'darwin') window.removeMenu()
  const content = Buffer.from(text).toString('base64')
  void window.loadURL(`data:text/plain;charset=utf-8;base64,${content}`)
}

export function guardWindows(contents: Electron.WebContents, origin: () => string | undefined): void {
  const guardNavigation = (event: { readonly preventDefault: () => void }, address: string, isWindow: boolean) => {
    const navigation = evaluateNavigation(address, origin())
    if (navigation === 'inside') return
    event.preventDefault()
    // The pages' CSP allows no foreign frames, so a subframe never opens the system browser.
    if (isWindow) openOutside(address, navigation)
  }
  const notify = (notice: DesktopNotice) => {
    if (!contents.isDestroyed()) contents.send(NOTICE_CHANNEL, notice)
  }
  const openOutside = (address: string, navigation: Navigation) => {
    if (navigation === 'refused') notify({ kind: 'link-refused', address })
    if (navigation !== 'outside') return
    shell.openExternal(address).catch((error: Error) => notify({ kind: 'link-refused', address, why: error.message }))
  }
  contents.on('will-frame-navigate', (event) => guardNavigation(event, event.url, event.isMainFrame))
  contents.on('will-redirect', (event) => guardNavigation(event, event.url, false))
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    const navigation = evaluateNavigation(url, origin())
    // Pages that request a new tab open in the system browser, which has its own sign-in.
    openOutside(url, navigation === 'inside' ? 'outside' : navigation)
    return { action: 'deny' }
  })
}

export function guardSession(origin: () => string | undefined): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((contents, permission, callback) =>
    callback(mayUse(permission, contents.getURL(), origin())),
  )
  defaultSession.setPermissionCheckHandler((_contents, permission, from) => mayUse(permission, from, origin()))
  defaultSession.setDevicePermissionHandler(() => false)
  defaultSession.setDisplayMediaRequestHandler((_request, answer) => answer({}))
}

export function handleCalls(handlers: BridgeHandlers, origin: () => string | undefined): void {
  for (const call of BRIDGE_CALL_NAMES) {
    ipcMain.handle(channelOf(call), ({ senderFrame, sender }: IpcMainInvokeEvent, argument: unknown) => {
      const from = { address: senderFrame?.url, isWindow: senderFrame !== null && senderFrame === sender.mainFrame }
      return handleBridgeCall(call, argument, { sender: from, origin: origin(), handlers })
    })
  }
}
