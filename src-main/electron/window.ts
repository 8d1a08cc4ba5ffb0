/**
 * The window: made once, shown and hidden, guarded against whatever its page may want; calls of its page are checked.
 */
import { BrowserWindow, type IpcMainInvokeEvent, ipcMain, screen, session, shell } from 'electron'
import type { DesktopNotice } from '../contract/bridge.ts'
import { BRIDGE_CALL_NAMES, channelOf, NOTICE_CHANNEL } from '../contract/bridge-channels.ts'
import { restoreBounds, type SettingsFile, SMALLEST } from './desktop-settings.ts'
import {
  type BridgeHandlers,
  evaluateNavigation,
  handleBridgeCall,
  mayUse,
  type Navigation,
  WEB_PREFERENCES,
} from './page-guard.ts'

// Chromium's error for a load that another one replaced: in an event of the page, and in one of its requests.
const LOAD_ABORTED = -3
const REQUEST_ABORTED = 'net::ERR_ABORTED'
// Scripts and styles of the pages; without a port, a pattern matches any.
const PAGE_FILES = ['http://127.0.0.1/assets/*.js', 'http://127.0.0.1/assets/*.css']

/**
 * Makes the window; it is not shown yet.
 * @param mayClose whether closing ends it; else it is hidden
 * @param onHidden is called when it was
 * @param onPageLost receives the address of a page that could not be loaded whole, or whose process is gone
 */
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
  const keep = () => {
    if (window.isMinimized() || window.isFullScreen()) return
    settings.change({ window: { bounds: window.getNormalBounds(), maximised: window.isMaximized() } })
  }
  // A page of the browser's own, which says that a site cannot be reached, would stay for ever.
  window.webContents.on('did-fail-load', (_event, code, _why, address, isWindow) => {
    if (isWindow && code !== LOAD_ABORTED) onPageLost(address)
  })
  // Without one of its scripts a page stays blank. Chromium breaks off requests when a network comes or goes, and
  // Drydock makes networks for containers.
  session.defaultSession.webRequest.onErrorOccurred({ urls: PAGE_FILES }, ({ webContentsId, error }) => {
    if (window.isDestroyed() || webContentsId !== window.webContents.id || error === REQUEST_ABORTED) return
    if (window.webContents.isLoadingMainFrame()) onPageLost(window.webContents.getURL())
  })
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit') onPageLost(window.webContents.getURL())
  })
  window.on('close', (event) => {
    keep()
    if (mayClose()) return
    event.preventDefault()
    window.hide()
    onHidden()
  })
  return window
}

/** Shows a text in a separate window, which needs no file manager and no editor. */
export function showText(title: string, text: string, icon: string): void {
  const window = new BrowserWindow({
    ...{ title: `${title} · Drydock`, icon, width: 1000, height: 700, autoHideMenuBar: true },
    webPreferences: WEB_PREFERENCES,
  })
  window.on('page-title-updated', (event) => event.preventDefault())
  // Its items are about the main window. On macOS all windows share one menu.
  if (process.platform !== 'darwin') window.removeMenu()
  const content = Buffer.from(text).toString('base64')
  void window.loadURL(`data:text/plain;charset=utf-8;base64,${content}`)
}

/** Sets the rules for all windows, present and to come. @param origin that of the service; undefined: none is up */
export function guardWindows(contents: Electron.WebContents, origin: () => string | undefined): void {
  const guardNavigation = (event: { readonly preventDefault: () => void }, address: string, isWindow: boolean) => {
    const passage = evaluateNavigation(address, origin())
    // A page has no frames of others within it: its policy allows none, and nothing opens outside for one.
    if (passage === 'inside') return
    event.preventDefault()
    if (isWindow) leave(address, passage)
  }
  // Nobody should wonder why a click does nothing.
  const notify = (notice: DesktopNotice) => {
    if (!contents.isDestroyed()) contents.send(NOTICE_CHANNEL, notice)
  }
  const leave = (address: string, passage: Navigation) => {
    if (passage === 'refused') notify({ kind: 'link-refused', address })
    if (passage !== 'outside') return
    shell.openExternal(address).catch((error: Error) => notify({ kind: 'link-refused', address, why: error.message }))
  }
  contents.on('will-frame-navigate', (event) => guardNavigation(event, event.url, event.isMainFrame))
  contents.on('will-redirect', (event) => guardNavigation(event, event.url, false))
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    const passage = evaluateNavigation(url, origin())
    // A page in a tab of its own is one in the browser, which signs in by itself.
    leave(url, passage === 'inside' ? 'outside' : passage)
    return { action: 'deny' }
  })
}

/** Sets what pages may use. */
export function guardSession(origin: () => string | undefined): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((contents, permission, callback) =>
    callback(mayUse(permission, contents.getURL(), origin())),
  )
  defaultSession.setPermissionCheckHandler((_contents, permission, from) => mayUse(permission, from, origin()))
  defaultSession.setDevicePermissionHandler(() => false)
  defaultSession.setDisplayMediaRequestHandler((_request, answer) => answer({}))
}

/** Answers the calls of the bridge. */
export function handleCalls(handlers: BridgeHandlers, origin: () => string | undefined): void {
  for (const call of BRIDGE_CALL_NAMES) {
    ipcMain.handle(channelOf(call), ({ senderFrame, sender }: IpcMainInvokeEvent, argument: unknown) => {
      const from = { address: senderFrame?.url, isWindow: senderFrame !== null && senderFrame === sender.mainFrame }
      return handleBridgeCall(call, argument, { sender: from, origin: origin(), handlers })
    })
  }
}
