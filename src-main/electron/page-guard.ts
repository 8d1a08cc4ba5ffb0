/**
 * Security rules for pages in the window: navigation, permissions and calls to the desktop. Anything that no rule
 * allows is refused. window.ts applies these rules to Electron.
 */
import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { WebPreferences } from 'electron'
import { BRIDGE_CALLS, type DesktopBridge } from '../contract/bridge.ts'
import type { BridgeCall } from '../contract/bridge-channels.ts'
import { isEditorLink } from '../contract/editors.ts'
import { PAGE_SECTIONS } from '../contract/pages.ts'

/** Gives pages only the features of a browser; everything else is explicitly disabled. */
export const WEB_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  // The spell checker downloads dictionaries from third-party servers.
  spellcheck: false,
} as const satisfies WebPreferences

/** Frame that sent a call. */
export type Sender = {
  /** URL of the frame; undefined if the frame no longer exists. */
  readonly address: string | undefined
  /** Whether the frame is the main frame of the window. */
  readonly isWindow: boolean
}

/** Handlers of validated calls. */
export type BridgeHandlers = Omit<DesktopBridge, 'onNotice'>

/**
 * Handles one call from a page.
 * @throws Error for another origin, a subframe or an invalid argument; the page sees only its message
 */
export async function handleBridgeCall(
  call: BridgeCall,
  argument: unknown,
  {
    sender,
    origin,
    handlers,
  }: { readonly sender: Sender; readonly origin: string | undefined; readonly handlers: BridgeHandlers },
): Promise<unknown> {
  if (!sender.isWindow || sender.address === undefined || !isOwn(sender.address, origin))
    throw new Error(`${call} was refused: it did not come from a page of the service`)
  const { argument: form, response } = BRIDGE_CALLS[call]
  const { data, success } = form.safeParse(argument)
  if (!success) throw new Error(`${call} was refused: its argument is invalid`)
  // Each handler takes the output of its own schema, which the type of the table cannot express.
  return response.parse(await (handlers[call] as (argument: unknown) => Promise<unknown>)(data))
}

/** Decision about a navigation: in the window, in the system browser, or not at all. */
export type Navigation = 'inside' | 'outside' | 'refused'

// Protocols that the system browser may open. http is missing so that a link in a job's output cannot reach local
// services.
const OUTSIDE: ReadonlySet<string> = new Set(['https:', 'mailto:'])
// First path segments of pages. Responses of workers below /lb/ share the origin but are not pages.
const PAGES: ReadonlySet<string> = new Set(['', 'sign-in', ...PAGE_SECTIONS])
// A preview runs as a separate local service; a sign-in link opens its pages.
const PREVIEW = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\?/
// Chromium's permission names. Pages copy with the first, and only query the second.
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])

/**
 * Decides where a URL opens that a page navigates to.
 * @param origin origin of the service, like http://127.0.0.1:8790; undefined while no service is up
 */
export function evaluateNavigation(address: string, origin: string | undefined): Navigation {
  if (!URL.canParse(address)) return 'refused'
  const url = new URL(address)
  // Credentials in a URL can make it look like another host.
  if (url.username !== '' || url.password !== '') return 'refused'
  if (isPage(url, origin)) return 'inside'
  if (isEditorLink(address)) return 'outside'
  return OUTSIDE.has(url.protocol) || PREVIEW.test(url.href) || isOrigin(url, origin) ? 'outside' : 'refused'
}

/** Whether a page has a permission. @param permission Chromium's name @param from URL or origin of the page */
export function mayUse(permission: string, from: string, origin: string | undefined): boolean {
  return PERMISSIONS.has(permission) && isOwn(from, origin)
}

/** Whether a URL is a page of the service. */
export function isOwn(address: string, origin: string | undefined): boolean {
  return URL.canParse(address) && isPage(new URL(address), origin)
}

function isPage(url: URL, origin: string | undefined): boolean {
  return isOrigin(url, origin) && PAGES.has(url.pathname.split('/', 2)[1] ?? '')
}

function isOrigin(url: URL, origin: string | undefined): boolean {
  // `blob:` URLs have the origin of their creator but are not pages.
  return origin !== undefined && url.protocol === 'http:' && url.origin === origin
}

/**
 * Whether the file manager may show a path, which must be absolute and local. Opening a path like \\host\share would
 * send the user's credentials to that host.
 */
export function mayReveal(path: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (platform !== 'win32') return posix.isAbsolute(path)
  return win32.isAbsolute(path) && /^[A-Za-z]:[\\/]/.test(path)
}

/** Reveals a file in the file manager. @returns false if the path is not allowed or does not exist */
export function revealFile(path: string, show: (path: string) => void, platform: NodeJS.Platform): boolean {
  if (!mayReveal(path, platform) || !existsSync(path)) return false
  show(path)
  return true
}
