import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { WebPreferences } from 'electron'
import { BRIDGE_CALLS, type DesktopBridge } from '../../contract/bridge.ts'
import type { BridgeCall } from '../../contract/bridge-channels.ts'
import { isEditorLink } from '../../contract/editors.ts'
import { PAGE_SECTIONS } from '../../contract/pages.ts'

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

export type Sender = {
  readonly address: string | undefined
  readonly isWindow: boolean
}

export type BridgeHandlers = Omit<DesktopBridge, 'onNotice'>

/** @throws Error for another origin, a subframe or invalid argument; the page sees only its message */
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
  return response.parse(await (handlers[call] as (argument: unknown) => Promise<unknown>)(data))
}

export type Navigation = 'inside' | 'outside' | 'refused'

// Protocols for the system browser. http is missing, so that a link in a job's output cannot reach local services.
const OUTSIDE: ReadonlySet<string> = new Set(['https:', 'mailto:'])
// Responses of workers below /lb/ share the origin but are not pages.
const PAGES: ReadonlySet<string> = new Set(['', 'sign-in', ...PAGE_SECTIONS])
// A preview runs as a separate local service; a sign-in link opens its pages.
const PREVIEW = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\?/
// Chromium's permission names. Pages copy with the first and only query the second.
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])

/** @param origin of the service, like http://127.0.0.1:8790; undefined while it is down */
export function evaluateNavigation(address: string, origin: string | undefined): Navigation {
  if (!URL.canParse(address)) return 'refused'
  const url = new URL(address)
  // Credentials in a URL can make it look like another host.
  if (url.username !== '' || url.password !== '') return 'refused'
  if (isPage(url, origin)) return 'inside'
  if (isEditorLink(address)) return 'outside'
  return OUTSIDE.has(url.protocol) || PREVIEW.test(url.href) || isOrigin(url, origin) ? 'outside' : 'refused'
}

export function mayUse(permission: string, from: string, origin: string | undefined): boolean {
  return PERMISSIONS.has(permission) && isOwn(from, origin)
}

export function isOwn(address: string, origin: string | undefined): boolean {
  return URL.canParse(address) && isPage(new URL(address), origin)
}

function isPage(url: URL, origin: string | undefined): boolean {
  return isOrigin(url, origin) && PAGES.has(url.pathname.split('/', 2)[1] ?? '')
}

function isOrigin(url: URL, origin: string | undefined): boolean {
  // `blob:` URLs have their creator's origin but are not pages.
  return origin !== undefined && url.protocol === 'http:' && url.origin === origin
}

/** True if a path is absolute and local. Opening \\host\share would send the user's credentials to that host. */
export function mayReveal(path: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (platform !== 'win32') return posix.isAbsolute(path)
  return win32.isAbsolute(path) && /^[A-Za-z]:[\\/]/.test(path)
}

export function revealFile(path: string, show: (path: string) => void, platform: NodeJS.Platform): boolean {
  if (!mayReveal(path, platform) || !existsSync(path)) return false
  show(path)
  return true
}
