/**
 * Stands in for Electron if it is not installed: enough of its API to run the built main process on Node. It draws
 * nothing. A window requests its addresses, with cookies. The test that started it gets each event as a message, and
 * sends messages to play the user and the system.
 */
import { EventEmitter } from 'node:events'

const tell = (message) => process.send?.(message)
const record = (what, fields = {}) => tell({ what, ...fields })

class App extends EventEmitter {
  isPackaged = process.env.FAKE_RESOURCES !== undefined
  getVersion = () => '0.0.1'
  getName = () => 'Drydock'
  getAppPath = () => process.cwd()
  getPath = () => process.cwd()
  enableSandbox = () => record('sandboxed')
  setName = (name) => record('name', { name })
  setPath = (name, path) => record('path', { name, path })
  setAppUserModelId = () => undefined
  requestSingleInstanceLock = () => process.env.FAKE_SECOND_INSTANCE === undefined
  setAsDefaultProtocolClient = (scheme) => record('protocol', { scheme })
  ready = Promise.withResolvers()
  whenReady = () => this.ready.promise
  quit() {
    let prevented = false
    this.emit('before-quit', { preventDefault: () => (prevented = true) })
    record('quit', { prevented })
    // Electron's own process ends now, whatever timers are left.
    if (!prevented) process.exit(0)
  }
}

/** The application. */
export const app = new App()
if (app.isPackaged) process.resourcesPath = process.env.FAKE_RESOURCES

class Contents extends EventEmitter {
  address = ''
  mainFrame = {}
  getURL = () => this.address
  send = (channel, message) => record('notice', { channel, message })
  setWindowOpenHandler = (handler) => {
    this.openHandler = handler
  }
  isDestroyed = () => false
}

/** The one window. */
export class BrowserWindow extends EventEmitter {
  webContents = new Contents()
  cookie = ''
  visible = false
  constructor(options) {
    super()
    BrowserWindow.last = this
    record('window', { options: { ...options, webPreferences: { ...options.webPreferences } } })
    app.emit('web-contents-created', {}, this.webContents)
  }
  async loadURL(address) {
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie: this.cookie } })
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie
    const next = answer.headers.get('location')
    if (next !== null) return this.loadURL(new URL(next, address).href)
    this.webContents.address = address
    const { status } = await fetch(new URL('/api/info', address), { headers: { cookie: this.cookie } })
    record('loaded', { address, type: answer.headers.get('content-type'), signedIn: status === 200 })
  }
  show() {
    this.visible = true
    record('shown')
  }
  hide() {
    this.visible = false
    record('hidden')
  }
  close() {
    let prevented = false
    this.emit('close', { preventDefault: () => (prevented = true) })
    if (!prevented) this.emit('closed')
  }
  focus = () => undefined
  maximize = () => undefined
  restore = () => undefined
  isVisible = () => this.visible
  isFocused = () => this.visible
  isMinimized = () => false
  isMaximized = () => false
  isFullScreen = () => false
  isDestroyed = () => false
  getNormalBounds = () => ({ x: 10, y: 20, width: 1000, height: 700 })
}

const handlers = new Map()

/** Calls of pages. */
export const ipcMain = { handle: (channel, handler) => handlers.set(channel, handler) }

/** One screen. */
export const screen = {
  getPrimaryDisplay: () => ({ workArea: { x: 0, y: 0, width: 1440, height: 900 } }),
  getAllDisplays: () => [],
}

const rules = {}

/** The rules of the session are kept, and asked by the test. */
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler) => Object.assign(rules, { request: handler }),
    setPermissionCheckHandler: (handler) => Object.assign(rules, { check: handler }),
    setDevicePermissionHandler: (handler) => Object.assign(rules, { device: handler }),
    setDisplayMediaRequestHandler: (handler) => Object.assign(rules, { media: handler }),
  },
}

/** The system's own programs are not started. */
export const shell = {
  async openExternal(address) {
    record('openExternal', { address })
    if (address.startsWith('mailto:')) throw new Error('No application knows how to open it')
  },
  openPath: async (path) => record('openPath', { path }),
  showItemInFolder: (path) => record('showItem', { path }),
}

/** A person who chooses what the test says. */
export const dialog = {
  showMessageBox: async ({ detail }) => {
    record('asked', { detail })
    return { response: 2 }
  },
  showOpenDialog: async (_window, options) => {
    record('pick', { options })
    return { filePaths: ['/picked'] }
  },
}

/** Menus are their templates. */
export const Menu = { buildFromTemplate: (template) => template, setApplicationMenu: () => record('menu') }

/** The tray keeps its menu. */
export class Tray extends EventEmitter {
  constructor(icon) {
    super()
    Tray.last = this
    record('tray', { icon })
  }
  setToolTip = (tooltip) => record('tooltip', { tooltip })
  setContextMenu = (items) => {
    this.items = items
  }
}

/** Notifications are recorded. */
export class Notification extends EventEmitter {
  static isSupported = () => true
  constructor(options) {
    super()
    this.options = options
  }
  show = () => record('notification', { title: this.options.title, body: this.options.body })
}

/** What the test plays. */
const PLAYS = {
  secondInstance: ({ argv }) => app.emit('second-instance', {}, ['program', ...argv]),
  openUrl: ({ url }) => app.emit('open-url', { preventDefault: () => undefined }, url),
  close: () => BrowserWindow.last.close(),
  quit: () => app.quit(),
  tray: ({ label }) => Tray.last.items.find((item) => item.label === label).click(),
  navigate({ url, event = 'will-frame-navigate' }) {
    let prevented = false
    BrowserWindow.last.webContents.emit(event, { url, isMainFrame: true, preventDefault: () => (prevented = true) })
    return prevented
  },
  open: ({ url }) => BrowserWindow.last.webContents.openHandler({ url }),
  failLoad: ({ url }) => BrowserWindow.last.webContents.emit('did-fail-load', {}, -102, 'REFUSED', url, true),
  webview() {
    let prevented = false
    BrowserWindow.last.webContents.emit('will-attach-webview', { preventDefault: () => (prevented = true) })
    return prevented
  },
  permission({ permission, from }) {
    let granted
    rules.request({ getURL: () => from }, permission, (answer) => (granted = answer))
    return { request: granted, check: rules.check(null, permission, from), device: rules.device({}) }
  },
  async call({ channel, argument, from, isFrame }) {
    const { mainFrame } = BrowserWindow.last.webContents
    const senderFrame = isFrame ? {} : mainFrame
    senderFrame.url = from ?? BrowserWindow.last.webContents.address
    return handlers.get(channel)({ senderFrame, sender: { mainFrame } }, argument)
  },
  channels: () => [...handlers.keys()],
}

process.on('message', async ({ play, id, ...fields }) => {
  try {
    tell({ what: 'played', id, result: await PLAYS[play](fields) })
  } catch (error) {
    tell({ what: 'played', id, error: error.message })
  }
})
// The pipe to the test must not keep the process, nor its end take it along.
process.channel?.unref()
